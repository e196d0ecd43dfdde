// One turn through the real provider: the tool-call deltas of argv[3] (JSON) go in as SSE, the
// names of the finished calls come out as JSON. Packages are those of the stack in argv[2].
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [stack, deltas] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${stack}/`));
const { createOpenAICompatible } = await import(
  pathToFileURL(resolve('@ai-sdk/openai-compatible'))
);

const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const body = [
  ...JSON.parse(deltas).map((delta) => chunk({ tool_calls: [delta] })),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
].join('');

const provider = createOpenAICompatible({
  name: 'test',
  baseURL: 'http://gateway.invalid',
  fetch: async () =>
    new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
});
const { stream } = await provider
  .chatModel('model')
  .doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] });
const names = [];
for await (const part of stream) {
  if (part.type === 'error') throw part.error;
  if (part.type === 'tool-call') names.push(part.toolName);
}
console.log(JSON.stringify(names));
