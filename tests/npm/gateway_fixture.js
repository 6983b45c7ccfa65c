// Runs a gateway in front of a mock server with known dialogues.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { connect } from 'tandem-voice';

import { run, wireTo } from './programs.js';

const { TANDEM_COMMAND, TANDEM_MOCK_SERVER } = process.env;

export const system = 'You are the voice of the Blue Heron.';
export const story = 'I am very well today. The whole afternoon is free. What can I do for you?';
const call = '<tool_call>\n{"name": "book", "arguments": {"guests": 4}}\n</tool_call>';
const says = (role) => (content) => ({ role, content });
const [user, bot, tool] = ['user', 'assistant', 'tool'].map(says);
const begin = [says('system')(system)];
const result = '{"booked":true}';
const noResult = 'No result: interrupted.'; // what the gateway writes
const booked = 'Your table is booked. See you soon.';
const [moment, again] = ['One moment.', user('And tomorrow?')];
const late = user(`Result of book {"guests":4}: ${result}\n${again.content}`);
// In a prompt, a line break precedes the call.
const calling = [user('Four, please.'), bot(`${moment}\n${call}`)];
// The model gives these replies only if the history is exactly the same.
const dialogues = [
    [user('Hello!'), bot(story), user('And tomorrow?'), bot('Tomorrow, too.')],
    [user('Hello!'), bot('I am'), user('And tomorrow?'), bot('Where was I?')],
    [user('Hello!\nAre you there?'), bot('Twice hello.')],
    [user('For four.'), bot(call), tool(result), bot(booked)],
    [user('For four.'), bot(call), tool(result), again, bot('It was booked.')],
    [user('For four.'), bot(call), tool(noResult), again, bot('It was interrupted.')],
    [user('For four.'), bot(call), tool(noResult), late, bot('By now, it is booked.')],
    [user('Four, please.'), bot(moment + call)],
    [...calling, tool(result), bot(booked), again, bot('Booked, too.')],
    [...calling, tool(result), bot('Your table'), again, bot('Where was I?')],
].map((messages) => [...begin, ...messages]);

const guests = { type: 'object', properties: { guests: { type: 'integer' } } };

/** A function for the model, and the arguments of its calls. */
export function bookTool() {
    const calls = [];
    const run = (given) => calls.push(given) && { booked: true };
    return { calls, book: { description: 'Books a table', parameters: guests, run } };
}

async function runMockServer() {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-npm-'));
    const file = join(folder, 'dialogues.jsonl');
    const lines = dialogues.map((messages, i) => JSON.stringify({ id: `d${i}`, messages }));
    writeFileSync(file, lines.join('\n') + '\n');
    const flags = ['--port', '0', '--no-bos', '--tool-template', '--dialogues', file];
    const mock = await run(TANDEM_MOCK_SERVER, [...flags, '--parallel', '8']);
    rmSync(folder, { recursive: true });
    return mock;
}

/** A gateway, and a connection to it that tests can cut. */
export async function runGateway(mock, more = []) {
    const url = `http://127.0.0.1:${mock.port}`;
    const server = ['--url', url, '--reuse-guard', '0', '--first-chunk-min-tokens', '0'];
    const flags = ['--proxy', 'none', '--listen', '127.0.0.1:0', '--model', 'talk'];
    const gateway = await run(TANDEM_COMMAND, ['serve', ...flags, ...server, ...more]);
    const wire = await wireTo(gateway.port);
    const stop = async () => {
        wire.stop();
        await gateway.stop();
    };
    return { wire, stop, port: gateway.port, url: `http://127.0.0.1:${wire.port}` };
}

/** A new key, and the flags of a gateway that knows it, with these limits. */
export function makeKey(t, limits = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-npm-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [key, entry] = execFileSync(TANDEM_COMMAND, ['key', '--name', 'bot'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n');
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify({ keys: [{ ...JSON.parse(entry), ...limits }] }));
    return { key, flags: ['--keys', file] };
}

/** A session at its own gateway. Its connection can be redirected to another gateway. */
export async function connectAlone(t, options) {
    const first = await runGateway(mock);
    t.after(() => first.stop());
    const talk = connect(first.url, { system, ...options });
    t.after(() => talk.close());
    return { first, talk };
}

export async function textOf(reply, onChunk = () => {}) {
    let text = '';
    for await (const chunk of reply) {
        text += chunk.text;
        await onChunk(chunk);
    }
    return text.trim();
}

// Shared by the tests of a file.
export let mock;
export let gateway;

before(async () => {
    mock = await runMockServer();
    gateway = await runGateway(mock);
});

after(async () => {
    await gateway?.stop();
    await mock?.stop();
});
