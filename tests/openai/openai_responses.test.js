// OpenAI's own client, with its responses API.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI from 'openai';

import { startGateway } from './servers.js';

const dialogues = [
  ['Hello!', 'I am very well, thank you. And you?'],
  ['Weather?', '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>'],
  ['A person?', '{"name":"Anna","age":7}'],
];
const hello = { model: 'talk', input: 'Hello!', temperature: 0 };
const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: true,
};

describe('the client', () => {
  let gateway;
  let client;
  before(async () => {
    gateway = await startGateway({ dialogues, mockFlags: ['--tool-template'] });
    client = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0, timeout: 120_000 });
  });
  after(() => gateway.close());

  test('gets a response in one body', async () => {
    const response = await client.responses.create(hello);
    assert.equal(response.output_text, dialogues[0][1]);
    assert.equal(response.status, 'completed');
    const { input_tokens: read, output_tokens: written, total_tokens: all } = response.usage;
    assert.equal(all, read + written);
  });

  test('gathers a response from a stream', async () => {
    const stream = client.responses.stream(hello);
    let text = '';
    stream.on('response.output_text.delta', (event) => (text += event.delta));
    const response = await stream.finalResponse();
    assert.equal(response.output_text, dialogues[0][1]);
    assert.equal(text, dialogues[0][1]);
  });

  test('continues a response by its id', async () => {
    const first = await client.responses.create(hello);
    const next = await client.responses.create({
      ...hello,
      input: 'And you?',
      previous_response_id: first.id,
    });
    assert.equal(next.previous_response_id, first.id);
    assert.ok(next.usage.input_tokens > first.usage.input_tokens + first.usage.output_tokens);
  });

  test('is told that a response is unknown', async () => {
    await assert.rejects(
      client.responses.create({ ...hello, previous_response_id: 'resp_none' }),
      (error) => error instanceof OpenAI.BadRequestError && error.code === 'previous_response_not_found',
    );
  });

  for (const stream of [false, true])
    test(`gets a call and sends its output, ${stream ? 'streamed' : 'whole'}`, async () => {
      const asked = { model: 'talk', input: 'Weather?', tools: [weather] };
      const first = stream
        ? await client.responses.stream(asked).finalResponse()
        : await client.responses.create(asked);
      const call = first.output.find((item) => item.type === 'function_call');
      assert.equal(call.name, 'weather');
      assert.deepEqual(JSON.parse(call.arguments), { city: 'Bonn' });
      const next = await client.responses.create({
        model: 'talk',
        tools: [weather],
        previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id: call.call_id, output: 'Sunny.' }],
      });
      assert.equal(next.status, 'completed');
    });

  test('gets JSON that its schema parses', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
      additionalProperties: false,
    };
    const response = await client.responses.parse({
      model: 'talk',
      input: 'A person?',
      text: { format: { type: 'json_schema', name: 'person', strict: true, schema } },
    });
    assert.deepEqual(response.output_parsed, { name: 'Anna', age: 7 });
  });
});
