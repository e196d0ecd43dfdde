// What the tracker alone costs: microseconds per delta, by how many calls are open and how deltas
// are labelled. Each directory is a stack; all are timed in one run, turn about.
//
//   node benchmarks/tracker.mjs STACK...
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const OPEN_CALLS = [1, 10, 100, 1000];
const WARM_UP = 5_000;
const DELTAS = 20_000;
const ROUNDS = 15;
const FRAGMENT = "frag"; // about a token, as models stream them
const TOOLS = 8;

// The labels of a call's first delta and of its further ones. Without labels on the further ones
// only the call that came last can be meant, so that it alone has arguments.
const LABELS = {
  index: [(n) => ({ index: n, id: `call_${n}` }), (n) => ({ index: n })],
  "index and id": [(n) => ({ index: n, id: `call_${n}` }), (n) => ({ index: n, id: `call_${n}` })],
  "id only": [(n) => ({ id: `call_${n}` }), (n) => ({ id: `call_${n}` })],
  "index 0 and id": [(n) => ({ index: 0, id: `call_${n}` }), (n) => ({ index: 0, id: `call_${n}` })],
  neither: [(n) => ({ id: `call_${n}` }), () => ({})],
};

async function trackerOf(stack) {
  const require = createRequire(resolve(stack, "stack.js"));
  try {
    const url = pathToFileURL(require.resolve("@ai-sdk/provider-utils")).href;
    return (await import(url)).StreamingToolCallTracker;
  } catch (error) {
    console.error(`${stack}: no @ai-sdk/provider-utils to load: ${error.message.split("\n")[0]}`);
    process.exit(2);
  }
}

// The microseconds per further delta; undefined if the tracker refuses such deltas.
function time(Tracker, [first, further], open) {
  const parts = [];
  const tracker = new Tracker({
    enqueue: (part) => {
      if (parts.push(part) > 1000) parts.length = 0;
    },
  });
  const bare = Object.keys(further(0)).length === 0;
  const deltas = Array.from({ length: bare ? 1 : open }, (_, n) => ({
    ...further(n),
    function: { arguments: FRAGMENT },
  }));
  try {
    for (let n = 0; n < open; n++) {
      const text = bare && n < open - 1 ? "" : '{"text":"';
      tracker.processDelta({
        ...first(n),
        type: "function",
        function: { name: `tool_${n % TOOLS}`, arguments: text },
      });
    }
    for (let n = 0; n < WARM_UP; n++) tracker.processDelta(deltas[n % deltas.length]);
    const start = process.hrtime.bigint();
    for (let n = 0; n < DELTAS; n++) tracker.processDelta(deltas[n % deltas.length]);
    return Number(process.hrtime.bigint() - start) / 1000 / DELTAS;
  } catch {
    return undefined;
  }
}

const stacks = process.argv.slice(2);
if (stacks.length === 0) {
  console.error("usage: node benchmarks/tracker.mjs STACK...");
  process.exit(2);
}
const trackers = await Promise.all(stacks.map(trackerOf));
const names = stacks.map((stack) => basename(resolve(stack)));
const widths = names.map((name) => Math.max(name.length, 8));
const row = (cells) => cells.map((cell, n) => cell.padStart(n < 2 ? [16, 6][n] : widths[n - 2])).join("  ");
console.log("microseconds per delta, the lowest of", ROUNDS, "rounds\n");
console.log(row(["labels", "open", ...names]));
for (const [what, labels] of Object.entries(LABELS)) {
  for (const Tracker of trackers) for (let n = 0; n < ROUNDS; n++) time(Tracker, labels, 100);
  for (const open of OPEN_CALLS) {
    const lowest = trackers.map(() => undefined);
    for (let round = 0; round < ROUNDS; round++) {
      trackers.forEach((Tracker, n) => {
        const took = time(Tracker, labels, open);
        if (took !== undefined) lowest[n] = Math.min(lowest[n] ?? Infinity, took);
      });
    }
    console.log(row([what, String(open), ...lowest.map((took) => took?.toFixed(3) ?? "refused")]));
  }
}
