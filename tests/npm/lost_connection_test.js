// Loses the connection at each message, and checks that nothing is lost or repeated.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { connect, VoiceError } from 'tandem-voice';

import {
    bookTool,
    connectAlone,
    gateway,
    makeKey,
    mock,
    runGateway,
    story,
    system,
    textOf,
} from './gateway_fixture.js';

/** A WebSocket class that loses the nth message in a direction, and then the connection. */
function losing(direction, nth) {
    let count = 0;
    let tellLost, tellClosed;
    const isLost = (way) => way === direction && ++count === nth;
    return class extends WebSocket {
        static lost = new Promise((resolve) => (tellLost = resolve));
        static closed = new Promise((resolve) => (tellClosed = resolve));

        static get hasLost() {
            return count >= nth;
        }

        #isGone = false;

        send(data) {
            if (this.#isGone || this.#goes('out')) return;
            super.send(data);
        }

        set onmessage(take) {
            super.onmessage = (event) => {
                if (!this.#isGone && !this.#goes('in')) take(event);
            };
        }

        #goes(way) {
            if (!isLost(way)) return false;
            this.#isGone = true;
            this.addEventListener('close', tellClosed);
            this.close();
            tellLost();
            return true;
        }
    };
}

// Out: start, start, continue, continue, continue. In: ready, chunk, chunk, chunk, end.
for (const direction of ['out', 'in'])
    test(`any message ${direction} may be lost, but no words said or kept`, async () => {
        await Promise.all([1, 2, 3, 4, 5].map(talk));
        async function talk(nth) {
            const Losing = losing(direction, nth);
            const bot = connect(gateway.url, { system, WebSocket: Losing });
            assert.equal(await textOf(bot.ask('Hello!')), story, `the text after ${nth}`);
            const next = await textOf(bot.ask('And tomorrow?'));
            assert.equal(next, 'Tomorrow, too.', `the history after ${nth}`);
            assert.ok(Losing.hasLost);
            bot.close();
        }
    });

test('a connection that is lost again and again loses nothing', async () => {
    const talk = connect(gateway.url, { system });
    const text = await textOf(talk.ask('Hello!'), ({ seq }) => seq === 0 && gateway.wire.cut());
    assert.equal(text, story);
    talk.close();
});

/** Cuts the connection, and waits until the client has noticed. */
class Cut extends WebSocket {
    static #newest;

    static async cut({ wire } = gateway) {
        const closed = new Promise((resolve) => Cut.#newest.addEventListener('close', resolve));
        wire.cut();
        await closed;
    }

    constructor(...given) {
        super(...given);
        Cut.#newest = this;
    }
}

for (const [when, cut] of [
    ['sent into a lost connection', () => gateway.wire.cut()],
    ['made without a connection', () => Cut.cut()],
])
    test(`an interrupt ${when} leaves in the history what was heard`, async () => {
        const talk = connect(gateway.url, { system, WebSocket: Cut });
        const reply = talk.ask('Hello!');
        const text = await textOf(reply, async ({ id }) => {
            await cut();
            talk.interrupt({ chunk: id, chars: 4 });
        });
        assert.equal(text, 'I am very well today.');
        assert.equal(await textOf(talk.ask('And tomorrow?')), 'Where was I?');
        talk.close();
    });

/** A WebSocket class whose nth connection receives nothing before release(). */
function holding(nth = 2) {
    let count = 0;
    let tellAsked, release;
    const asked = new Promise((resolve) => (tellAsked = resolve));
    const released = new Promise((resolve) => (release = resolve));
    class Held extends Cut {
        #isHeld = ++count === nth;

        send(data) {
            super.send(data);
            if (this.#isHeld) tellAsked();
        }

        set onmessage(take) {
            super.onmessage = async (event) => {
                if (this.#isHeld) await released;
                take(event);
            };
        }
    }
    return { Held, asked, release };
}

test('a chunk that the voice ends before the gateway answers counts', async () => {
    const { Held, asked, release } = holding();
    const talk = connect(gateway.url, { system, WebSocket: Held });
    const text = await textOf(talk.ask('Hello!'), async (chunk) => {
        if (!chunk.text.includes('for you?')) return;
        await Cut.cut();
        await asked;
        setImmediate(release);
    });
    assert.equal(text, story);
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Tomorrow, too.');
    talk.close();
});

test('a question that another one follows before the gateway answers is kept', async () => {
    const { Held, asked, release } = holding(1);
    const talk = connect(gateway.url, { system, WebSocket: Held });
    await asked;
    const first = textOf(talk.ask('Hello!'));
    const second = textOf(talk.ask('Are you there?'));
    release();
    assert.equal(await first, '');
    assert.equal(await second, 'Twice hello.');
    talk.close();
});

// Out: start, start.
for (const when of ['lost', 'closed'])
    test(`a question that did not arrive on a ${when} connection is kept`, async () => {
        const Losing = losing('out', 2);
        const talk = connect(gateway.url, { system, WebSocket: Losing });
        const first = textOf(talk.ask('Hello!'));
        await Losing[when];
        talk.interrupt();
        assert.equal(await first, '');
        assert.equal(await textOf(talk.ask('Are you there?')), 'Twice hello.');
        talk.close();
    });

test('all questions without a connection are kept, beyond the limits of the key', async (t) => {
    const { key, flags } = makeKey(t, { requests_per_minute: 5 });
    const limited = await runGateway(mock, flags);
    t.after(() => limited.stop());
    const talk = connect(limited.url, { key, system, WebSocket: Cut });
    assert.equal(await textOf(talk.ask('Hello!')), story);
    await Cut.cut(limited);
    const asked = Array.from({ length: 12 }, (_, number) => `Is ${number} the answer?`);
    const left = asked.map((text) => textOf(talk.ask(text)));
    const said = await textOf(talk.ask('And tomorrow?'));
    assert.deepEqual(await Promise.all(left), asked.map(() => ''));
    const messages = [
        { role: 'user', content: 'Hello!' },
        { role: 'assistant', content: story },
        ...asked.map((content) => ({ role: 'user', content })),
    ];
    const other = connect(gateway.url, { system });
    assert.equal(said, await textOf(other.ask('And tomorrow?', { messages })));
    [talk, other].forEach((session) => session.close());
});

test('a place that was heard before the gateway answers counts', async () => {
    const { Held, asked, release } = holding();
    const talk = connect(gateway.url, { system, WebSocket: Held });
    let next;
    await textOf(talk.ask('Hello!'), async ({ id }) => {
        await Cut.cut();
        await asked;
        talk.heard({ chunk: id, chars: 4 });
        next = textOf(talk.ask('And tomorrow?'));
        release();
    });
    assert.equal(await next, 'Where was I?');
    talk.close();
});

for (const [when, cut] of [
    ['sent into a lost connection', () => gateway.wire.cut()],
    ['made without a connection', () => Cut.cut()],
])
    test(`an interrupt ${when} forgets chunks that came early`, async () => {
        const options = { lookahead: 1 };
        const talk = connect(gateway.url, { system, options, WebSocket: Cut });
        const chunks = talk.ask('Hello!')[Symbol.asyncIterator]();
        const first = (await chunks.next()).value;
        await chunks.next();
        await cut();
        talk.interrupt({ chunk: first.id, words: 2 });
        const { value } = await talk.ask('And tomorrow?')[Symbol.asyncIterator]().next();
        assert.equal(value.text, 'Where was I?');
        talk.close();
    });

test('chunks that came early are not repeated after a lost connection', async () => {
    const talk = connect(gateway.url, { system, options: { lookahead: 1 }, WebSocket: Cut });
    const chunks = talk.ask('Hello!')[Symbol.asyncIterator]();
    const taken = [(await chunks.next()).value, (await chunks.next()).value];
    await Cut.cut();
    taken[0].spoken();
    taken.push((await chunks.next()).value);
    taken[2].spoken();
    assert.ok((await chunks.next()).done);
    assert.equal(taken.map(({ text }) => text).join(''), story);
    talk.close();
});

test('what is heard while there is no connection counts', async () => {
    const talk = connect(gateway.url, { system, WebSocket: Cut });
    await textOf(talk.ask('Hello!'), async ({ id }) => {
        await Cut.cut();
        talk.heard({ chunk: id, chars: 4 });
        talk.interrupt();
    });
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Where was I?');
    talk.close();
});

// Out: start, start, interrupt, say.
for (const nth of [3, 4])
    test(`what comes after an interrupt is spoken, though message ${nth} is lost`, async () => {
        const talk = connect(gateway.url, { system, WebSocket: losing('out', nth) });
        await textOf(talk.ask('Hello!'), ({ id }) => talk.interrupt({ chunk: id, chars: 4 }));
        assert.equal(await textOf(talk.say('I see.')), 'I see.');
        talk.close();
    });

test('a text of the bot is spoken once, though its connection is lost', async () => {
    const talk = connect(gateway.url, { WebSocket: losing('out', 2) });
    assert.equal(await textOf(talk.say('See you tonight!')), 'See you tonight!');
    talk.close();
});

test('a turn whose connection is lost while its function runs comes to its end', async () => {
    const { calls, book } = bookTool();
    let isCut = false;
    const run = (given) => {
        if (!isCut) gateway.wire.cut();
        isCut = true;
        return book.run(given);
    };
    const talk = connect(gateway.url, { system, tools: { book: { ...book, run } } });
    await textOf(talk.ask('For four.'));
    assert.deepEqual(calls, [{ guests: 4 }]);
    talk.close();
});

/** Notes what a WebSocket class sends on each connection, including lost messages. */
function noting(Base) {
    const connections = [];
    class Noting extends Base {
        #sent = [];

        constructor(...given) {
            super(...given);
            connections.push(this.#sent);
        }

        send(data) {
            this.#sent.push(JSON.parse(data));
            super.send(data);
        }
    }
    return { Noting, connections };
}

const resultsIn = (sent) => sent.filter(({ type }) => type === 'result');

// Out: start, start, result.
for (const [when, Base, cut] of [
    ['sent into a lost connection', losing('out', 3), () => {}],
    ['known without a connection', Cut, () => Cut.cut()],
])
    test(`a result ${when} is sent on the next one`, async () => {
        const { Noting, connections } = noting(Base);
        const { calls, book } = bookTool();
        const run = async (given) => {
            if (calls.length === 0) await cut();
            return book.run(given);
        };
        const tools = { book: { ...book, run } };
        const talk = connect(gateway.url, { system, tools, WebSocket: Noting });
        await textOf(talk.ask('For four.'));
        const results = resultsIn(connections[1]).map(({ content, keep }) => [content, keep]);
        assert.deepEqual(results, [['{"booked":true}', true]]);
        talk.close();
    });

// In: ready, call, end, chunk.
test('a result that has arrived is repeated without an error', async () => {
    const { Noting, connections } = noting(losing('in', 4));
    const { calls, book } = bookTool();
    const faults = [];
    const onError = (error) => faults.push(error.code);
    const talk = connect(gateway.url, { system, tools: { book }, onError, WebSocket: Noting });
    assert.equal(await textOf(talk.ask('For four.')), 'Your table is booked. See you soon.');
    await textOf(talk.say('I see.'));
    assert.deepEqual([calls.length, faults], [1, []]);
    assert.equal(resultsIn(connections[1]).length, 1);
    talk.close();
});

/** Closes once, like a gateway that lets another gateway continue the session. */
class Moved extends WebSocket {
    static #hasMoved = false;

    set onmessage(take) {
        super.onmessage = (event) => {
            take(event);
            if (Moved.#hasMoved || JSON.parse(event.data).type !== 'chunk') return;
            Moved.#hasMoved = true;
            this.close();
        };
    }

    set onclose(take) {
        super.onclose = () => take({ code: 4012 });
    }
}

// Mock timers would prevent undici from clearing its own timers.
test('a session that moves is resumed without a wait', async (t) => {
    const { mock: set } = t.mock.method(globalThis, 'setTimeout');
    const talk = connect(gateway.url, { system, WebSocket: Moved });
    assert.equal(await textOf(talk.ask('Hello!')), story);
    talk.close();
    const isWait = (ms) => ms >= 225 && ms <= 375; // the first wait: 300 ms, more or less
    assert.deepEqual(set.calls.map((call) => call.arguments[1]).filter(isWait), []);
});

test('a gateway that does not know the session is told what was said', async (t) => {
    const { talk, first } = await connectAlone(t);
    assert.equal(await textOf(talk.ask('Hello!')), story);
    first.wire.leadTo(gateway.port);
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Tomorrow, too.');
    talk.close();
});

for (const part of [{ chars: 4 }, { chars: 6 }, { words: 2 }, { said: 'I am' }])
    test(`a new session is told what was heard, reported as ${JSON.stringify(part)}`, async (t) => {
        const { talk, first } = await connectAlone(t);
        await textOf(talk.ask('Hello!'), ({ id }) => talk.interrupt({ chunk: id, ...part }));
        first.wire.leadTo(gateway.port);
        assert.equal(await textOf(talk.ask('And tomorrow?')), 'Where was I?');
        talk.close();
    });

test('a new session is told the resumed reply as one text', async (t) => {
    const { talk, first } = await connectAlone(t);
    await textOf(talk.ask('Hello!'), ({ id }) => talk.interrupt({ chunk: id, chars: 7 }));
    await textOf(talk.resume());
    first.wire.leadTo(gateway.port);
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'Tomorrow, too.');
    talk.close();
});

test('a reply that a new session cannot go on with fails', async (t) => {
    const { talk, first } = await connectAlone(t);
    const waiting = textOf(talk.ask('Hello!'), () => first.wire.leadTo(gateway.port));
    await assert.rejects(waiting, { code: 'session_not_found' });
    assert.equal(await textOf(talk.say('Sorry.')), 'Sorry.');
    talk.close();
});

test('a proxy that answers 404 while the gateway restarts is asked again', async (t) => {
    const { talk, first } = await connectAlone(t);
    let count = 0;
    const proxy = createServer((_, answer) => {
        if (++count > 1) return first.wire.leadTo(first.port);
        answer.writeHead(404).end();
    });
    t.after(() => proxy.close().closeAllConnections());
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const text = await textOf(talk.ask('Hello!'), ({ seq }) => {
        if (seq === 0) first.wire.leadTo(proxy.address().port);
    });
    assert.equal(text, story);
    assert.ok(count > 1);
});

test('a URL of a WebSocket serves for reconnects, too', async () => {
    const talk = connect(gateway.url.replace('http', 'ws'), { system });
    const text = await textOf(talk.ask('Hello!'), ({ seq }) => seq === 0 && gateway.wire.cut());
    assert.equal(text, story);
    talk.close();
});

test('an address with no gateway is not tried again', async () => {
    const waiting = textOf(connect(`${gateway.url}/elsewhere`).ask('Hello!'));
    await assert.rejects(waiting, (error) => {
        assert.match(error.message, /^there is no GET \/elsewhere\/v1\/models/);
        return error instanceof VoiceError;
    });
});

test('a gateway that never answers is given up with an error', async (t) => {
    const setLater = globalThis.setTimeout;
    const setSooner = (run, ms, ...given) => setLater(run, ms / 100, ...given);
    t.mock.method(globalThis, 'setTimeout', setSooner);
    const waiting = textOf(connect('http://127.0.0.1:1').ask('Hello!'));
    await assert.rejects(waiting, (error) => {
        assert.ok(error instanceof VoiceError);
        assert.equal(error.code, 'connection_lost');
        assert.match(error.message, /^http:\/\/127\.0\.0\.1:1 was tried 8 times: .*(ECONNREFUSED|bad port)\)$/);
        return true;
    });
});
