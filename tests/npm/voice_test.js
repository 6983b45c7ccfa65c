// Talks to a gateway in front of a mock server by the packed tandem-voice.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { connect, VoiceError } from 'tandem-voice';

import { run, wireTo } from './programs.js';

const { TANDEM_COMMAND, TANDEM_MOCK_SERVER } = process.env;
const story = 'I am very well today. The whole afternoon is free. What can I do for you?';
const call = '<tool_call>\n{"name": "book", "arguments": {"guests": 4}}\n</tool_call>';
const dialogues = [
    ['Hello!', story],
    ['For four.', call, '{"booked":true}', 'Your table is booked.'],
];
const roles = ['user', 'assistant', 'tool', 'assistant'];
const limit = { timeout: 20000 };
let mock;
let gateway;
let wire;

before(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'tandem-npm-')), 'dialogues.jsonl');
    const lines = dialogues.map((texts, i) => {
        const messages = texts.map((content, at) => ({ role: roles[at], content }));
        return JSON.stringify({ id: `d${i}`, messages });
    });
    writeFileSync(file, lines.join('\n') + '\n');
    const mockFlags = ['--port', '0', '--no-bos', '--tool-template', '--dialogues', file];
    mock = await run(TANDEM_MOCK_SERVER, mockFlags);
    const server = ['--url', `http://127.0.0.1:${mock.port}`, '--reuse-guard', '0'];
    const flags = ['--proxy', 'none', '--listen', '127.0.0.1:0', '--model', 'talk'];
    gateway = await run(TANDEM_COMMAND, ['serve', ...flags, ...server]);
    wire = await wireTo(gateway.port);
});

after(async () => {
    wire?.stop();
    await gateway?.stop();
    await mock?.stop();
});

const session = (options) => connect(`http://127.0.0.1:${wire.port}`, options);

async function textOf(reply, onChunk = () => {}) {
    let text = '';
    for await (const chunk of reply) {
        text += chunk.text;
        await onChunk(chunk);
    }
    return text;
}

test('a reply ends with its usage', limit, async () => {
    const talk = session({ system: 'You are the voice of the Blue Heron.' });
    const reply = talk.ask('Hello!');
    assert.equal(await textOf(reply), reply.end.text);
    assert.equal(reply.end.finish_reason, 'eos');
    assert.ok(reply.end.usage.generated > 0);
    talk.close();
});

test('a text of the bot is spoken as it is', limit, async () => {
    const talk = session();
    assert.equal(await textOf(talk.say('See you tonight!')), 'See you tonight!');
    talk.close();
});

test('a barge-in ends the reply', limit, async () => {
    const talk = session();
    let chunks = 0;
    await textOf(talk.ask('Hello!'), (chunk) => {
        chunks += 1;
        talk.interrupt({ chunk: chunk.id, share: 0.5 });
    });
    assert.equal(chunks, 1);
    const next = talk.ask('Hello!');
    assert.equal(await textOf(next), next.end.text);
    talk.close();
});

test('the reply to the result of a function follows in the same loop', limit, async () => {
    const given = [];
    const book = {
        description: 'Books a table',
        parameters: { type: 'object', properties: { guests: { type: 'integer' } } },
        run: (values) => given.push(values) && { booked: true },
    };
    const talk = session({ tools: { book } });
    assert.equal((await textOf(talk.ask('For four.'))).trim(), 'Your table is booked.');
    assert.deepEqual(given, [{ guests: 4 }]);
    talk.close();
});

test('nothing is lost or repeated when the connection is lost', limit, async () => {
    const talk = session();
    let cuts = 0;
    const text = await textOf(talk.ask('Hello!'), () => {
        if (cuts++ < 2) wire.cut();
    });
    assert.equal(text.trim(), story);
    assert.ok(cuts >= 2);
    talk.close();
});

test('an answered draft is spoken', limit, async () => {
    const talk = session();
    await textOf(talk.say('Good evening!'));
    talk.hearing('Hel');
    const turn = talk.draft('Hello!');
    const reply = talk.commit('Hello!', { turn });
    assert.equal(await textOf(reply), reply.end.text);
    assert.ok(reply.end.usage.generated > 0);
    talk.close();
});

test('an invalid option is reported by its code', limit, async () => {
    const talk = session({ options: { temperature: 'hot' } });
    const isRefused = (error) => error instanceof VoiceError && error.code === 'invalid_value';
    await assert.rejects(textOf(talk.ask('Hello!')), isRefused);
    talk.close();
});

test('a wait ends when the signal is aborted', limit, async () => {
    const controller = new AbortController();
    const talk = session({ signal: controller.signal });
    const waiting = textOf(talk.ask('Hello!'), () => controller.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
});
