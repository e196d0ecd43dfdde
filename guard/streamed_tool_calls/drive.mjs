// Feeds streamed turns to the real packages of one stack, and hands back every stream part.
//
// One request a line on stdin, one answer a line on stdout, in that order. Owns nothing else: what a
// turn should give is judged elsewhere. Packages come from PATCHTOOL_STACK and from nowhere else.
import { createServer } from "node:http";
import * as nodeModule from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

Error.stackTraceLimit = 0; // nobody reads the traces, and they take a tenth of the time

// Each mutant and each stack has a process of its own: to compile the same modules for each takes as
// long as a hundred turns. What is kept lies with the temporary files. Node 20 cannot.
nodeModule.enableCompileCache?.();

const require = nodeModule.createRequire(resolve(process.env.PATCHTOOL_STACK, "stack.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createOpenAI } = await load("@ai-sdk/openai");
const { StreamingToolCallTracker } = await load("@ai-sdk/provider-utils");
nodeModule.flushCompileCache?.(); // Node itself does so at its end, but this process is killed

const makeModel = {
  "openai-compatible": (baseURL, fetch) =>
    createOpenAICompatible({ name: "gateway", baseURL, fetch })("model"),
  openai: (baseURL, fetch) => createOpenAI({ apiKey: "none", baseURL, fetch }).chat("model"),
};

// The models of the injected fetch, which answers with the current request. One serves all turns,
// as in an app; to make one can take longer than a turn.
let current;
const injected = Object.fromEntries(
  Object.entries(makeModel).map(([provider, make]) => [
    provider,
    make("http://gateway.invalid/v1", async () => response(current)),
  ]),
);

// The turn as server-sent events, one a chunk. A chunk without tool calls carries text, as gateways
// send it, unless the finish reason is all it carries.
function events({ chunks, finish_reason, finish_chunks, line_end }) {
  const bodies = chunks.map((tool_calls, place) => {
    const finishes = finish_chunks.includes(place);
    if (tool_calls.length > 0) return { delta: { tool_calls }, finishes };
    return { delta: finishes ? {} : { content: "\n" }, finishes };
  });
  if (finish_chunks.length === 0) bodies.push({ delta: {}, finishes: true });
  const data = bodies.map(({ delta, finishes }) =>
    JSON.stringify({
      id: "turn",
      created: 1,
      model: "model",
      choices: [{ index: 0, delta, finish_reason: finishes ? finish_reason : null }],
    }),
  );
  return [...data, "[DONE]"].map((each) => `data: ${each}${line_end}${line_end}`);
}

// The bytes of a turn in the pieces they arrive in: by event, or cut every so many bytes.
function pieces(request) {
  const texts = events(request);
  if (request.cut_every === null) return texts.map((text) => Buffer.from(text));
  const bytes = Buffer.from(texts.join(""));
  const starts = Array.from({ length: Math.ceil(bytes.length / request.cut_every) }, (_, n) => n);
  return starts.map((n) => bytes.subarray(n * request.cut_every, (n + 1) * request.cut_every));
}

const headers = { "content-type": "text/event-stream; charset=utf-8" };

function response(request) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces(request)) controller.enqueue(new Uint8Array(piece));
      controller.close();
    },
  });
  return new Response(body, { headers });
}

// A real server on the loopback interface, which flushes each piece by itself.
async function overLoopback(request, run) {
  const server = createServer(async (_, response) => {
    response.socket.setNoDelay(true);
    response.writeHead(200, headers);
    for (const piece of pieces(request)) {
      await new Promise((written) => response.write(piece, written));
      await new Promise(setImmediate);
    }
    response.end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    return await run(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const inWords = (error) => ({
  name: error?.name ?? typeof error,
  message: String(error?.message ?? error),
  data: error?.data ?? null,
});

const plain = (part) => (part.type === "error" ? { ...part, error: inWords(part.error) } : part);

async function throughProvider(model) {
  const parts = [];
  try {
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    });
    for await (const part of stream) parts.push(plain(part));
    return { parts, thrown: null };
  } catch (error) {
    return { parts, thrown: inWords(error) };
  }
}

// How the tracker alone looks at types, by what it goes as among the providers.
const typeValidations = {
  tracker: "none",
  "tracker with types": "required",
  "tracker with types or none": "if-present",
};

// The tracker alone, with a generator of ids that only ever gives one.
function throughTracker({ chunks, provider }) {
  const parts = [];
  try {
    const tracker = new StreamingToolCallTracker(
      { enqueue: (part) => parts.push(part) },
      { generateId: () => "generated", typeValidation: typeValidations[provider] },
    );
    for (const delta of chunks.flat()) tracker.processDelta(delta);
    tracker.flush();
    return { parts, thrown: null };
  } catch (error) {
    return { parts, thrown: inWords(error) };
  }
}

async function answer(request) {
  if (!(request.provider in makeModel)) return throughTracker(request);
  if (request.loopback) {
    return overLoopback(request, (url) =>
      throughProvider(makeModel[request.provider](url, globalThis.fetch)),
    );
  }
  current = request;
  return throughProvider(injected[request.provider]);
}

for await (const line of createInterface({ input: process.stdin })) {
  const turn = await answer(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(turn)}\n`);
}
