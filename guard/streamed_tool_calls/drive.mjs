// Feeds streamed turns to the real packages of a stack, and hands back every stream part.
//
// One request a line on stdin, one answer a line on stdout, in that order. Owns nothing else: what a
// turn should give is judged elsewhere. Packages come from the request's stack and from nowhere else.
import { createServer } from "node:http";
import * as nodeModule from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

Error.stackTraceLimit = 0; // nobody reads the traces, and they take a tenth of the time

// To compile the same modules in each process takes as long as a hundred turns. What is kept lies
// with the temporary files. Node 20 cannot.
nodeModule.enableCompileCache?.();

// Between two runs the stack may have been changed, so the packages under test are loaded anew. What
// they depend on is not: to load it takes four times as long. Before 22.15 Node cannot.
let loads = 0;
const isTested = (place) => place.includes("/node_modules/@ai-sdk/");
nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (loads === 1 || !isTested(found.url)) return found;
    return { ...found, url: `${found.url}?load=${loads}` };
  },
});

// How a provider's model is made, with the packages of the stack.
const makeModel = {
  "openai-compatible": async (baseURL, fetch) => {
    const { createOpenAICompatible } = await packaged("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ name: "gateway", baseURL, fetch })("model");
  },
  openai: async (baseURL, fetch) => {
    const { createOpenAI } = await packaged("@ai-sdk/openai");
    return createOpenAI({ apiKey: "none", baseURL, fetch }).chat("model");
  },
};

// What is loaded of a stack, and the models of the injected fetch, which answers with the current
// request. One serves all turns, as in an app; to make one can take longer than a turn.
let loaded = {};
let current;

function begin({ stack, run }) {
  loads += 1;
  const require = nodeModule.createRequire(resolve(stack, "stack.js"));
  for (const file of Object.keys(require.cache).filter(isTested)) delete require.cache[file];
  loaded = { stack, run, require, models: {} };
}

async function packaged(name) {
  const module = await import(pathToFileURL(loaded.require.resolve(name)).href);
  if (loads === 1) nodeModule.flushCompileCache?.(); // Node does so at its end, but is killed
  return module;
}

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
async function throughTracker({ chunks, provider }) {
  const { StreamingToolCallTracker } = await packaged("@ai-sdk/provider-utils");
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
  const { provider, loopback } = request;
  const make = makeModel[provider];
  if (make === undefined) return throughTracker(request);
  if (loopback) {
    return overLoopback(request, async (url) => throughProvider(await make(url, globalThis.fetch)));
  }
  current = request;
  const inject = () => make("http://gateway.invalid/v1", async () => response(current));
  return throughProvider((loaded.models[provider] ??= await inject()));
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.stack !== loaded.stack || request.run !== loaded.run) begin(request);
  process.stdout.write(`${JSON.stringify(await answer(request))}\n`);
}
