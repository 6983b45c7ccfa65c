// A round trip with tools through the Vercel AI SDK and through LangChain.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startGateway } from './servers.js';

const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>';
const answer = 'It rains in Bonn. Take an umbrella.';
const question = 'Umbrella?';
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};
const description = 'The weather of a city';

let gateway;
let asked;

const tellWeather = async ({ city }) => {
  asked.push(city);
  return 'rain';
};

before(async () => {
  gateway = await startGateway({
    dialogues: [[question, call, 'rain', answer]],
    mockFlags: ['--tool-template'],
  });
});
after(() => gateway?.close());
beforeEach(() => {
  asked = [];
});

describe('the Vercel AI SDK', () => {
  const request = () => ({
    model: createOpenAICompatible({ name: 'tandem', baseURL: gateway.url })('talk'),
    prompt: question,
    tools: {
      weather: tool({ description, inputSchema: jsonSchema(parameters), execute: tellWeather }),
    },
    stopWhen: stepCountIs(2),
  });

  test('answers from the result of a call', async () => {
    const { text } = await generateText(request());
    assert.equal(text, answer);
    assert.deepEqual(asked, ['Bonn']);
  });

  test('answers from the result of a streamed call', async () => {
    const { text } = streamText(request());
    assert.equal(await text, answer);
    assert.deepEqual(asked, ['Bonn']);
  });
});

describe('LangChain', () => {
  const makeModel = () =>
    new ChatOpenAI({
      model: 'talk',
      apiKey: 'none',
      configuration: { baseURL: gateway.url },
    }).bindTools([{ type: 'function', function: { name: 'weather', description, parameters } }]);

  const answerCalls = async ({ tool_calls: calls }) =>
    Promise.all(
      calls.map(
        async ({ id, args }) =>
          new ToolMessage({ tool_call_id: id, content: await tellWeather(args) }),
      ),
    );

  test('answers from the result of a call', async () => {
    const model = makeModel();
    const messages = [new HumanMessage(question)];
    const first = await model.invoke(messages);
    messages.push(first, ...(await answerCalls(first)));
    const { content } = await model.invoke(messages);
    assert.equal(content, answer);
    assert.deepEqual(asked, ['Bonn']);
  });

  test('answers from the result of a streamed call', async () => {
    const model = makeModel();
    const gather = async (messages) => {
      let whole;
      for await (const piece of await model.stream(messages))
        whole = whole ? whole.concat(piece) : piece;
      return whole;
    };
    const messages = [new HumanMessage(question)];
    const first = await gather(messages);
    messages.push(first, ...(await answerCalls(first)));
    const { content } = await gather(messages);
    assert.equal(content, answer);
    assert.deepEqual(asked, ['Bonn']);
  });
});
