// Uses the packed tandem-voice with a gateway in front of a mock server.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';

import { connect, VoiceError } from 'tandem-voice';

import {
    bookTool,
    gateway,
    makeKey,
    mock,
    runGateway,
    story,
    system,
    textOf,
} from './gateway_fixture.js';
import { Reply } from './node_modules/tandem-voice/reply.js';

const hasCode = (code) => (error) => error instanceof VoiceError && error.code === code;

/** A session that ends with the test. */
function session(t, options, url = gateway.url) {
    const talk = connect(url, { system, ...options });
    t.after(() => talk.close());
    return talk;
}

test('a reply ends with its usage', async (t) => {
    const reply = session(t).ask('Hello!');
    assert.equal(await textOf(reply), story);
    assert.equal(reply.end.finish_reason, 'eos');
    assert.equal(reply.end.usage.heard, reply.end.usage.handed_over);
});

test('a text of the bot is spoken as it is', async (t) => {
    assert.equal(await textOf(session(t).say('See you tonight!')), 'See you tonight!');
});

test('the next chunk comes when the one before is spoken', async (t) => {
    const reply = session(t, { options: { pacing: 'strict' } }).ask('Hello!');
    const chunks = reply[Symbol.asyncIterator]();
    const first = await chunks.next();
    first.value.spoken();
    const second = await chunks.next();
    assert.deepEqual([first.value.seq, second.value.seq], [0, 1]);
    await chunks.return();
});

test('a barge-in ends the reply, and history keeps what was heard', async (t) => {
    const talk = session(t);
    let chunks = 0;
    const reply = talk.ask('Hello!');
    const text = await textOf(reply, (chunk) => {
        chunks += 1;
        talk.interrupt({ chunk: chunk.id, chars: 4 });
    });
    assert.equal(text, 'I am very well today.');
    assert.equal(chunks, 1);
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Where was I?');
    assert.equal(reply.end.finish_reason, 'interrupted');
});

test('a reply goes on after a false alarm', async (t) => {
    const talk = session(t);
    const onChunk = ({ id, seq }) => seq === 1 && talk.interrupt({ chunk: id, words: 3 });
    await textOf(talk.ask('Hello!'), onChunk);
    assert.equal(await textOf(talk.resume()), 'is free. What can I do for you?');
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Tomorrow, too.');
});

test('without an interrupted reply, nothing goes on', async (t) => {
    await assert.rejects(textOf(session(t).resume()), hasCode('nothing_to_resume'));
});

test('leaving the loop interrupts the reply', async (t) => {
    const talk = session(t);
    const reply = talk.ask('Hello!');
    for await (const chunk of reply) if (chunk.seq === 1) break;
    await textOf(talk.say('As you like.'));
    assert.equal(reply.end.finish_reason, 'interrupted');
});

test('a question interrupts the reply before it', async (t) => {
    const talk = session(t);
    let next;
    const first = await textOf(talk.ask('Hello!'), ({ id }) => {
        talk.heard({ chunk: id, chars: 4 });
        next = talk.ask('And tomorrow?');
    });
    assert.equal(first, 'I am very well today.');
    assert.equal(await textOf(next), 'Where was I?');
});

test('a question before the connection is kept, though another one follows', async (t) => {
    const talk = session(t);
    const first = textOf(talk.ask('Hello!'));
    const text = await textOf(talk.ask('And tomorrow?'));
    assert.equal(await first, '');
    const messages = [{ role: 'user', content: 'Hello!' }];
    assert.equal(text, await textOf(session(t).ask('And tomorrow?', { messages })));
});

test('a text is spoken after a question that was interrupted before the connection', async (t) => {
    const talk = session(t);
    talk.ask('Hello!');
    talk.interrupt();
    assert.equal(await textOf(talk.say('I see.')), 'I see.');
});

test('the reply to the result of a function follows in the same loop', async (t) => {
    const { calls, book } = bookTool();
    const reply = session(t, { tools: { book } }).ask('For four.');
    assert.equal(await textOf(reply), 'Your table is booked. See you soon.');
    assert.deepEqual(calls, [{ guests: 4 }]);
});

test('a function is a method of its tool', async (t) => {
    const { book } = bookTool();
    const result = { booked: true };
    const run = function () {
        return this.result;
    };
    const tool = { ...book, result, run };
    const said = await textOf(session(t, { tools: { book: tool } }).ask('For four.'));
    assert.equal(said, 'Your table is booked. See you soon.');
});

test('the reply comes before the end of a function whose result comes later', async (t) => {
    const { book } = bookTool();
    let finish;
    const run = () => new Promise((resolve) => (finish = resolve));
    const talk = session(t, { tools: { book: { ...book, run, later: true } } });
    assert.ok(await textOf(talk.ask('For four.')));
    finish({ booked: true });
    assert.equal(await textOf(talk.say('I see.')), 'I see.');
});

test('a draft becomes the reply to the same words', async (t) => {
    const talk = session(t);
    await textOf(talk.ask('Hello!'));
    talk.hearing('And to');
    talk.draft('And tomorrow?');
    // The gateway does not report when it has generated a draft, which takes about 20 ms.
    await setTimeout(300);
    const reply = talk.commit('and tomorrow');
    assert.equal(await textOf(reply), 'Tomorrow, too.');
    assert.ok(reply.end.usage.drafted > 0);
});

test('a place in a chunk and its time are taken', async (t) => {
    const faults = [];
    const talk = session(t, { onError: (error) => faults.push(error.code) });
    await textOf(talk.ask('Hello!'), ({ id }) => {
        talk.speaking(id, 100);
        talk.heard({ chunk: id, words: 1 });
    });
    assert.deepEqual(faults, []);
});

test('an invalid option is reported by its code', async (t) => {
    const reply = session(t, { options: { temperature: 'hot' } }).ask('Hello!');
    await assert.rejects(textOf(reply), hasCode('invalid_value'));
});

test('a refused question ends the reply before it, too', async (t) => {
    const talk = session(t);
    let refused;
    await textOf(talk.ask('Hello!'), () => (refused = talk.ask('')));
    await assert.rejects(textOf(refused), hasCode('invalid_value'));
    assert.equal(await textOf(talk.say('I see.')), 'I see.');
});

test('a refused message that belongs to no reply is reported to onError', async (t) => {
    let onError;
    const told = new Promise((resolve) => (onError = resolve));
    const talk = session(t, { onError });
    await textOf(talk.say('Good evening!'));
    talk.speaking('1-0', -1);
    const { code, param } = await told;
    assert.deepEqual([code, param], ['invalid_value', 'ends_in_ms']);
});

test('a place beyond the chunk interrupts, too', async (t) => {
    const talk = session(t);
    const first = textOf(talk.ask('Hello!'), ({ id }) => talk.interrupt({ chunk: id, share: 1.001 }));
    assert.equal(await first, 'I am very well today.');
    assert.equal(await textOf(talk.resume()), 'The whole afternoon is free. What can I do for you?');
});

test('a report of two places is refused, and the reply goes on', async (t) => {
    const talk = session(t);
    const text = await textOf(talk.ask('Hello!'), ({ id }) => {
        assert.throws(() => talk.interrupt({ chunk: id, chars: 3, words: 1 }), /one of chars/);
        assert.throws(() => talk.heard({ chunk: id, characters: 3 }), TypeError);
    });
    assert.equal(text, 'I am very well today. The whole afternoon is free. What can I do for you?');
});

for (const place of [{ chars: undefined }, { chars: Infinity }, { share: NaN }])
    test(`an unknown place interrupts, too: ${inspect(place)}`, async (t) => {
        const talk = session(t);
        const text = await textOf(talk.ask('Hello!'), ({ id }) =>
            talk.interrupt({ chunk: id, ...place }),
        );
        assert.equal(text, 'I am very well today.');
        assert.notEqual(await textOf(talk.resume()), '');
    });

test('a lone surrogate is replaced, because it is no text', async (t) => {
    assert.equal(await textOf(session(t).say('a\ud800b')), 'a\ufffdb');
});

/** Receives two chunks of a reply, the second one early. */
async function takeTwo(talk) {
    const chunks = talk.ask('Hello!')[Symbol.asyncIterator]();
    const [first, second] = [await chunks.next(), await chunks.next()];
    assert.deepEqual([first.value.early ?? false, second.value.early], [false, true]);
    return { chunks, first: first.value, second: second.value };
}

test('chunks that come early are continued when they were spoken', async (t) => {
    const talk = session(t, { options: { lookahead: 1 } });
    const { chunks, first, second } = await takeTwo(talk);
    first.spoken();
    const third = (await chunks.next()).value;
    third.spoken();
    assert.ok((await chunks.next()).done);
    assert.equal([first, second, third].map(({ text }) => text).join(''), story);
    const { value } = await talk.ask('And tomorrow?')[Symbol.asyncIterator]().next();
    assert.equal(value.text, 'Tomorrow, too.');
});

test('a barge-in into a chunk forgets those that came early', async (t) => {
    const talk = session(t, { options: { lookahead: 1 } });
    const { first } = await takeTwo(talk);
    talk.interrupt({ chunk: first.id, words: 2 });
    const { value } = await talk.ask('And tomorrow?')[Symbol.asyncIterator]().next();
    assert.equal(value.text, 'Where was I?');
});

test('a wait ends when the signal is aborted', async (t) => {
    const stop = new AbortController();
    const talk = session(t, { signal: stop.signal });
    const waiting = textOf(talk.ask('Hello!'), () => stop.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.throws(() => talk.ask('Hello!'), { name: 'AbortError' });
});

test('a wait ends when the session is closed', async () => {
    const talk = connect(gateway.url);
    const waiting = textOf(talk.ask('Hello!'));
    talk.close();
    await assert.rejects(waiting, hasCode('closed'));
});

test('a message that is too large ends the session', async (t) => {
    const talk = session(t);
    const large = textOf(talk.ask('a'.repeat(300_000)));
    await assert.rejects(large, hasCode('message_too_large'));
    assert.throws(() => talk.ask('Hello!'), hasCode('message_too_large'));
});

test('a session goes on after too many messages', async (t) => {
    const faults = [];
    const talk = session(t, { onError: ({ code }) => faults.push(code) });
    let times = 150;
    const text = await textOf(talk.ask('Hello!'), ({ id }) => {
        for (; times > 0; --times) talk.speaking(id, 100);
    });
    assert.equal(text, story);
    assert.deepEqual(faults, ['too_many_messages']);
});

test('without a WebSocket it is said what to do', () => {
    const kept = globalThis.WebSocket;
    globalThis.WebSocket = undefined;
    try {
        assert.throws(() => connect(gateway.url), hasCode('no_websocket'));
    } finally {
        globalThis.WebSocket = kept;
    }
});

for (const url of ['garbage', '127.0.0.1:8090', 'localhost:8090', 'ftp://127.0.0.1'])
    test(`${url} is refused as the URL of a gateway`, () => {
        const abort = new AbortController();
        assert.throws(() => connect(url, { signal: abort.signal }), (error) => {
            assert.ok(hasCode('connect_failed')(error));
            assert.match(error.message, /no URL of a gateway; pass one that begins with http:/);
            return true;
        });
        abort.abort();
    });

test('a gateway with keys takes the right one, and tells that another one is wrong', async (t) => {
    const { key, flags } = makeKey(t);
    const locked = await runGateway(mock, flags);
    t.after(() => locked.stop());
    assert.equal(await textOf(session(t, { key }, locked.url).ask('Hello!')), story);
    const wrong = session(t, { key: 'tdm_wrong' }, locked.url).ask('Hello!');
    await assert.rejects(textOf(wrong), hasCode('invalid_api_key'));
    const none = session(t, {}, locked.url).ask('Hello!');
    await assert.rejects(textOf(none), hasCode('invalid_api_key'));
});

test('a key that no header can contain is refused without a request', async (t) => {
    const { mock: requests } = t.mock.method(globalThis, 'fetch');
    const faults = [];
    // A handler may use the session.
    const talk = session(t, { key: 'tdm_\u20ac', onError: (error) => faults.push(talk && error) });
    await new Promise((done) => setImmediate(done));
    assert.throws(() => talk.ask('Hello!'), hasCode('invalid_api_key'));
    assert.equal(faults.length, 1);
    assert.match(faults[0].message, /letters, digits/);
    assert.doesNotMatch(faults[0].message, /tdm_|\u20ac/);
    assert.equal(requests.callCount(), 0);
});

for (const body of ['{"error":null}', 'null', '{"error":{"code":null}}'])
    test(`an answer without a reason is an error, too: ${body}`, async (t) => {
        const server = createServer((_, answer) => answer.writeHead(403).end(body));
        t.after(() => server.close().closeAllConnections());
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const url = `http://127.0.0.1:${server.address().port}`;
        const reply = session(t, { key: 'tdm_key' }, url).ask('Hello!');
        await assert.rejects(textOf(reply), hasCode('http_403'));
    });

/** The reply's heard text after these chunks, of which those with dots are fillers. */
async function hear(reply, number, ...texts) {
    for (const [seq, text] of texts.entries()) {
        const id = `${number}-${seq}`;
        reply.take({ id, reply: number, text, speech: text.trim(), filler: text.endsWith('…') });
    }
    const chunks = reply[Symbol.asyncIterator]();
    for (const _ of texts) (await chunks.next()).value.spoken();
    return reply.answer.at(-1).content;
}

function begin(type) {
    const handlers = { onTaken() {}, onSpoken() {}, onLeft() {} };
    return new Reply({ type, turn: '1' }, handlers, 1);
}

test('the words that a resumed reply repeats count as heard', async () => {
    const heard = await hear(begin('resume'), '3', 'moment…', 'It is noon.', ' Bye.');
    assert.equal(heard, 'moment… It is noon. Bye.');
});

test('the words that are repeated on the next connection count as heard', async () => {
    const reply = begin('start');
    assert.equal(await hear(reply, '1', 'Hm…', 'One'), 'One');
    reply.isLost(2);
    assert.equal(await hear(reply, '2', 'moment…', 'It is noon.'), 'One moment… It is noon.');
});

test('a part of the words that are repeated counts as heard', async () => {
    const reply = begin('resume');
    reply.take({ id: '3-0', reply: '3', text: 'One moment.', speech: 'One moment.', filler: true });
    await reply[Symbol.asyncIterator]().next();
    reply.interrupt({ chunk: '3-0', words: 1 });
    assert.equal(reply.answer[0].content, 'One');
});

test('a filler before the first words on the next connection does not count', async () => {
    const reply = begin('start');
    reply.isLost(1);
    assert.equal(await hear(reply, '1', 'Hm…', 'One'), 'One');
});
