// Checks that the client sends the function calls to a gateway that does not know the session.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { bookTool, connectAlone, gateway, textOf } from './gateway_fixture.js';
import { newest } from './node_modules/tandem-voice/history.js';
import { Reply } from './node_modules/tandem-voice/reply.js';

/** A session whose function first runs `before`. */
async function connectBooking(t, before = () => {}, fields = {}) {
    const { calls, book } = bookTool();
    const run = async (given) => {
        await before(alone);
        return book.run(given);
    };
    const alone = await connectAlone(t, { tools: { book: { ...book, ...fields, run } } });
    return { ...alone, calls };
}

const restart = ({ first }) => first.wire.leadTo(gateway.port);

const isLost = { code: 'session_not_found' };

test('a new gateway is told of a call, its result, and the words around them', async (t) => {
    const booking = await connectBooking(t);
    const said = await textOf(booking.talk.ask('Four, please.'));
    assert.equal(said, 'One moment.Your table is booked. See you soon.');
    restart(booking);
    assert.equal(await textOf(booking.talk.ask('And tomorrow?')), 'Booked, too.');
    assert.equal(booking.calls.length, 1);
});

test('a new gateway is told what was heard of the reply to a result', async (t) => {
    const booking = await connectBooking(t);
    await textOf(booking.talk.ask('Four, please.'), ({ id, text }) => {
        if (text.startsWith('Your')) booking.talk.interrupt({ chunk: id, words: 2 });
    });
    restart(booking);
    assert.equal(await textOf(booking.talk.ask('And tomorrow?')), 'Where was I?');
});

for (const fields of [{}, { later: true }])
    test(`a new gateway is told a result without a reply, ${JSON.stringify(fields)}`, async (t) => {
        const { talk } = await connectBooking(t, restart, fields);
        await assert.rejects(textOf(talk.ask('For four.')), isLost);
        assert.equal(await textOf(talk.ask('And tomorrow?')), 'It was booked.');
    });

test('a new gateway is told the result of a call that was interrupted', async (t) => {
    const booking = await connectBooking(t, ({ talk }) => talk.interrupt());
    assert.equal(await textOf(booking.talk.ask('For four.')), '');
    restart(booking);
    await textOf(booking.talk.say('I see.', { history: false }));
    assert.equal(await textOf(booking.talk.ask('And tomorrow?')), 'It was booked.');
});

test('a new gateway is told that a function still runs', async (t) => {
    const isOver = new Promise((resolve) => t.after(resolve));
    const { talk } = await connectBooking(t, (alone) => {
        restart(alone);
        return isOver;
    });
    await assert.rejects(textOf(talk.ask('For four.')), isLost);
    assert.equal(await textOf(talk.ask('And tomorrow?')), 'It was interrupted.');
});

for (const isRefused of [false, true])
    test(`a new gateway is told a late result, question refused: ${isRefused}`, async (t) => {
        let finish;
        const isOver = new Promise((resolve) => (finish = resolve));
        const { talk } = await connectBooking(t, (alone) => {
            restart(alone);
            return isOver;
        });
        await assert.rejects(textOf(talk.ask('For four.')), isLost);
        finish();
        await setImmediate();
        const refused = () => textOf(talk.ask('Hello!', { options: { temperature: 'hot' } }));
        if (isRefused) await assert.rejects(refused(), { code: 'invalid_value' });
        assert.equal(await textOf(talk.ask('And tomorrow?')), 'By now, it is booked.');
    });

const call = { type: 'call', reply: '1', id: 'call_1_0', name: 'book', arguments: { guests: 4 } };

/** A reply with a call. The first word before the call was heard, and the result is known. */
async function begin() {
    const reply = new Reply({ type: 'start', turn: '1' }, { onTaken() {}, onSpoken() {} }, 1);
    const chunks = reply[Symbol.asyncIterator]();
    const hear = async (id, text, fields) => {
        reply.take({ id, reply: id[0], text, speech: text.trim(), ...fields });
        (await chunks.next()).value.spoken();
    };
    await hear('1-0', 'One');
    reply.takeCall(call).result = { content: 'Done.' };
    return { reply, hear };
}

const { id, name, arguments: given } = call;
const result = { role: 'tool', tool_call_id: id, name, content: 'Done.' };
const calling = (content) => ({
    role: 'assistant',
    content,
    tool_calls: [{ id, name, arguments: given }],
});

test('words before a call that arrive after it precede it', async () => {
    const { reply, hear } = await begin();
    await hear('1-1', ' moment.');
    await hear('2-0', 'It is noon.');
    const answer = { role: 'assistant', content: 'It is noon.' };
    assert.deepEqual(reply.answer, [calling('One moment.'), result, answer]);
});

test('the words before a call that the next connection repeats precede the call', async () => {
    const { reply, hear } = await begin();
    reply.isLost(1);
    await hear('3-0', 'moment.', { filler: true });
    assert.deepEqual(reply.answer, [calling('One moment.'), result]);
});

test('a part of the words that are repeated in several chunks is separated from them', async () => {
    const { reply } = await begin();
    reply.isLost(1);
    const chunks = reply[Symbol.asyncIterator]();
    for (const [i, text] of ['brief', ' moment please.'].entries()) {
        const words = { text, speech: text.trim(), filler: true };
        reply.take({ id: `3-${i}`, reply: '3', ...words });
        await chunks.next();
    }
    reply.interrupt({ chunk: '3-1', words: 1 });
    assert.deepEqual(reply.answer, [calling('One brief moment'), result]);
});

test('no result comes without its call', () => {
    const long = { ...calling(''), tool_calls: [{ id, name, arguments: 'a'.repeat(60_000) }] };
    const next = { role: 'user', content: 'Hello!' };
    assert.deepEqual(newest([long, result, next]), [next]);
    assert.deepEqual(newest([long, result, result]), []);
});
