// Runs OpenAI's own client against tandem serve, as users call it. The client does not retry, so
// that failures are visible.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI from 'openai';

import { keyOf, slotsBecome, startGateway } from './servers.js';

const story =
  'I am very well today, and thank you so much for asking me. The whole afternoon is free, so ' +
  'please take all the time that you want. What can I do for you?';
const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>';
const dialogues = [
  ['Hello!', story],
  ['Weather?', call],
  ['Weather now?', '{"name":"weather","parameters":{"city":"Bonn am Rhein"}}'],
  ['A person?', '{"name":"Anna","age":7}'],
  ['Long', `${'word '.repeat(500)}end.`],
];
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const says = (content, more = {}) => ({
  model: 'talk',
  messages: [{ role: 'user', content }],
  ...more,
});

const clientOf = (gateway, apiKey = 'none') =>
  new OpenAI({ baseURL: gateway.url, apiKey, maxRetries: 0, timeout: 120_000 });

async function textOf(stream) {
  let text = '';
  for await (const event of stream) text += event.choices[0]?.delta?.content ?? '';
  return text;
}

describe('the client', () => {
  let gateway;
  let client;
  before(async () => {
    gateway = await startGateway({ dialogues, mockFlags: ['--tool-template'] });
    client = clientOf(gateway);
  });
  after(() => gateway.close());

  test('gets an answer in one body', async () => {
    const { data, response } = await client.chat.completions.create(says('Hello!', { temperature: 0 })).withResponse();
    assert.equal(data.choices[0].message.content, story);
    assert.equal(data.choices[0].finish_reason, 'stop');
    assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
    assert.equal(response.headers.get('x-tandem-cache'), 'miss');
    assert.equal(data._request_id, response.headers.get('x-request-id'));
  });

  test('gets the same answer to the same question without asking the server', async () => {
    const first = await client.chat.completions.create(says('Hello!', { max_tokens: 400, temperature: 0 }));
    const { data, response } = await client.chat.completions
      .create(says('Hello!', { max_tokens: 400, temperature: 0 }))
      .withResponse();
    assert.equal(response.headers.get('x-tandem-cache'), 'hit');
    assert.equal(data.choices[0].message.content, first.choices[0].message.content);
    assert.notEqual(data.id, first.id);
  });

  test('gets an answer as a stream', async () => {
    const stream = await client.chat.completions.create(says('Hello!', { stream: true }));
    let text = '';
    const reasons = [];
    for await (const event of stream) {
      text += event.choices[0].delta.content ?? '';
      if (event.choices[0].finish_reason) reasons.push(event.choices[0].finish_reason);
    }
    assert.equal(text, story);
    assert.deepEqual(reasons, ['stop']);
  });

  test('gets a stream of sentences', async () => {
    const stream = await client.chat.completions.create(
      says('Hello!', { stream: true, stream_by: 'chunk' }),
    );
    const pieces = [];
    for await (const event of stream)
      if (event.choices[0].delta.content) pieces.push(event.choices[0].delta.content);
    assert.equal(pieces.join(''), story);
    assert.equal(pieces.length, 3);
  });

  test('gets the usage of a stream in its last event', async () => {
    const stream = await client.chat.completions.create(
      says('Hello!', { stream: true, stream_options: { include_usage: true } }),
    );
    const events = [];
    for await (const event of stream) events.push(event);
    const last = events.pop();
    assert.deepEqual(last.choices, []);
    assert.ok(last.usage.completion_tokens > 10);
    assert.ok(events.every((event) => event.usage === null));
  });

  test('gathers a stream with its helper', async () => {
    const runner = client.chat.completions.stream(says('Hello!'));
    assert.equal(await runner.finalContent(), story);
  });

  test('gets a call of a tool', async () => {
    const answer = await client.chat.completions.create(says('Weather?', { tools: [weather] }));
    const [{ finish_reason: reason, message }] = answer.choices;
    assert.equal(reason, 'tool_calls');
    assert.equal(message.content, null);
    assert.equal(message.tool_calls[0].function.name, 'weather');
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: 'Bonn' });
  });

  test('gathers a call of a tool from a stream', async () => {
    const runner = client.chat.completions.stream(says('Weather?', { tools: [weather] }));
    const message = await runner.finalMessage();
    assert.equal(message.tool_calls[0].type, 'function');
    assert.equal(message.tool_calls[0].function.name, 'weather');
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: 'Bonn' });
  });

  test('gets JSON that its schema parses', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
      additionalProperties: false,
    };
    const answer = await client.chat.completions.parse(
      says('A person?', {
        response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } },
      }),
    );
    assert.deepEqual(JSON.parse(answer.choices[0].message.content), { name: 'Anna', age: 7 });
  });

  test('completes a raw prompt', async () => {
    const answer = await client.completions.create({ model: 'talk', prompt: 'x', max_tokens: 3 });
    assert.equal(answer.object, 'text_completion');
    assert.equal(typeof answer.choices[0].text, 'string');
    assert.ok(answer.usage.completion_tokens <= 3);
  });

  test('lists the model', async () => {
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    assert.deepEqual(names, ['talk']);
    assert.equal((await client.models.retrieve('talk')).object, 'model');
  });

  test('is told which model there is none of', async () => {
    await assert.rejects(client.models.retrieve('none-such'), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.equal(error.status, 404);
      assert.match(error.message, /none-such/);
      return true;
    });
  });

  test('is told which field is wrong', async () => {
    const wrong = { model: 'talk', messages: [{ role: 'wizard', content: 'Hi' }] };
    await assert.rejects(client.chat.completions.create(wrong), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.param, 'messages[0].role');
      assert.ok(error.requestID);
      return true;
    });
  });
});

describe('a round trip with tools', () => {
  // A call as the mock server's template writes it.
  const asked = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>';
  const answer = 'It rains in Bonn. Take a coat.';
  let gateway;
  before(async () => {
    gateway = await startGateway({
      dialogues: [['Umbrella?', asked, 'rain', answer]],
      mockFlags: ['--tool-template'],
    });
  });
  after(() => gateway.close());

  for (const stream of [false, true])
    test(`by the client's runner, ${stream ? 'streamed' : 'whole'}`, async () => {
      const cities = [];
      const tell = ({ city }) => cities.push(city) && 'rain';
      const tool = { ...weather, function: { ...weather.function, function: tell, parse: JSON.parse } };
      const runner = clientOf(gateway).chat.completions.runTools(
        says('Umbrella?', { tools: [tool], stream }),
      );
      assert.equal(await runner.finalContent(), answer);
      assert.deepEqual(cities, ['Bonn']);
    });
});

describe('a slow server', () => {
  let gateway;
  before(async () => {
    const mockFlags = ['--tool-template', '--tokens-per-second', '20'];
    gateway = await startGateway({ dialogues, mockFlags });
  });
  after(() => gateway.close());

  test('gets a required call piece by piece', async () => {
    const required = { tools: [weather], tool_choice: 'required' };
    const runner = clientOf(gateway).chat.completions.stream(says('Weather now?', required));
    const pieces = [];
    runner.on('tool_calls.function.arguments.delta', ({ arguments_delta: piece }) => pieces.push(piece));
    const message = await runner.finalMessage();
    const written = message.tool_calls[0].function;
    assert.equal(written.name, 'weather');
    assert.deepEqual(JSON.parse(written.arguments), { city: 'Bonn am Rhein' });
    assert.equal(pieces.join(''), written.arguments);
    assert.ok(pieces.filter(Boolean).length > 1);
  });
});

describe('a client that leaves', () => {
  let gateway;
  before(async () => {
    gateway = await startGateway({ dialogues, mockFlags: ['--tokens-per-second', '20'] });
  });
  after(() => gateway.close());

  test('in the middle of a stream frees the slot', async () => {
    const stream = await clientOf(gateway).chat.completions.create(says('Long', { stream: true }));
    for await (const event of stream) if (event.choices[0].delta.content) break;
    assert.ok(stream.controller.signal.aborted, 'the client closes what it does not read on');
    assert.ok(
      await slotsBecome(gateway.mock, (slots) => slots.every((slot) => !slot.is_processing)),
    );
  });

  test('before a whole answer frees the slot', async () => {
    const abort = new AbortController();
    const asked = clientOf(gateway).chat.completions.create(says('Long'), { signal: abort.signal });
    const refused = assert.rejects(asked, OpenAI.APIUserAbortError);
    assert.ok(await slotsBecome(gateway.mock, (slots) => slots.some((slot) => slot.is_processing)));
    abort.abort();
    await refused;
    assert.ok(
      await slotsBecome(gateway.mock, (slots) => slots.every((slot) => !slot.is_processing)),
    );
  });
});

describe('a gateway with keys', () => {
  let gateway;
  before(async () => {
    gateway = await startGateway({
      dialogues,
      keys: [
        keyOf('plenty'),
        keyOf('one', { requests_per_minute: 1 }),
        keyOf('reader', { rights: ['read'] }),
      ],
    });
  });
  after(() => gateway.close());

  test('answers who has one', async () => {
    const answer = await clientOf(gateway, 'tdm_plenty').chat.completions.create(says('Hello!'));
    assert.equal(answer.choices[0].message.content, story);
  });

  test('refuses a key that it does not know', async () => {
    await assert.rejects(clientOf(gateway, 'tdm_wrong').models.list(), (error) => {
      assert.ok(error instanceof OpenAI.AuthenticationError);
      assert.equal(error.code, 'invalid_api_key');
      return true;
    });
  });

  test('refuses what a key may not do', async () => {
    await assert.rejects(
      clientOf(gateway, 'tdm_reader').chat.completions.create(says('Hello!')),
      OpenAI.PermissionDeniedError,
    );
  });

  test('tells who asks too often how long to wait', async () => {
    const client = clientOf(gateway, 'tdm_one');
    const stream = await client.chat.completions.create(says('Hello!', { stream: true }));
    assert.equal(await textOf(stream), story);
    await assert.rejects(client.chat.completions.create(says('Hello!')), (error) => {
      assert.ok(error instanceof OpenAI.RateLimitError);
      assert.equal(error.code, 'rate_limit_exceeded');
      assert.ok(Number(error.headers.get('retry-after')) >= 1);
      return true;
    });
  });
});

describe('a stream whose server fails', () => {
  let gateway;
  before(async () => {
    gateway = await startGateway({
      dialogues,
      mockFlags: ['--fault', 'close:at_token=4,times=0'],
      flags: ['--retries', '0'],
    });
  });
  after(() => gateway.close());

  test('raises the error where the text breaks off', async () => {
    const stream = await clientOf(gateway).chat.completions.create(says('Hello!', { stream: true }));
    let text = '';
    await assert.rejects(
      async () => {
        for await (const event of stream) text += event.choices[0].delta.content ?? '';
      },
      (error) => {
        assert.ok(error instanceof OpenAI.APIError);
        assert.equal(error.code, 'stream_incomplete');
        return true;
      },
    );
    assert.ok(story.startsWith(text) && text.length > 0);
  });
});
