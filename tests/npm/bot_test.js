// Runs the bot of the README with a voice and ears that the test controls.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { connect } from 'tandem-voice';

import { bookTool, gateway } from './gateway_fixture.js';

const readme = readFileSync('node_modules/tandem-voice/README.md', 'utf8');
const sample = /^```js\n(.*?)^```$/ms.exec(readme)[1];
const mostStatements = 12;
class Voice {
    heardChars = 4;
    spoken = [];
    #end = () => {};

    /** onSpeech(text) returns true if the test ends this speech. */
    constructor(onSpeech = () => false) {
        this.onSpeech = onSpeech;
    }

    speak(text) {
        this.spoken.push(text);
        if (this.onSpeech(text)) return new Promise((end) => (this.#end = end));
        return Promise.resolve();
    }

    stop() {
        this.#end();
    }
}

function run(tts) {
    const stt = {};
    const { calls, book } = bookTool();
    const places = [];
    let bot;
    const connected = (url, options) => {
        bot = connect(url.replace('http://localhost:8090', gateway.url), options);
        const { interrupt } = bot;
        bot.interrupt = (place) => places.push(place) && interrupt.call(bot, place);
        return bot;
    };
    const tables = { book: book.run };
    const parts = { connect: connected, stt, tts, tables, guests: book.parameters };
    const code = sample.replace(/^import.*\n/, '');
    new Function(...Object.keys(parts), code)(...Object.values(parts));
    return { stt, calls, places, close: () => bot.close() };
}

test('the bot has few statements', () => {
    assert.ok(sample.match(/;|\bfor\b|\bif\b/g).length <= mostStatements, sample);
});

test('it speaks, runs its function, and speaks about the result', async () => {
    const tts = new Voice();
    const bot = run(tts);
    await bot.stt.onfinal('For four.');
    assert.deepEqual(bot.calls, [{ guests: 4 }]);
    assert.deepEqual(tts.spoken, ['Your table is booked.', 'See you soon.']);
    bot.close();
});

test('it stops when it is talked over, and answers what was said', async () => {
    let bot;
    const tts = new Voice((text) => {
        const isSecond = text.startsWith('The whole');
        if (isSecond) setImmediate(() => bot.stt.onspeech());
        return isSecond;
    });
    bot = run(tts);
    await bot.stt.onfinal('Hello!');
    assert.equal(tts.spoken.length, 2);
    assert.equal(bot.places.length, 1);
    assert.equal(bot.places[0].chars, 4);
    bot.close();
});

test('it goes on where it was when the connection is lost', async () => {
    const tts = new Voice((text) => text.startsWith('The whole') && gateway.wire.cut());
    const bot = run(tts);
    await bot.stt.onfinal('Hello!');
    assert.deepEqual(tts.spoken, [
        'I am very well today.',
        'The whole afternoon is free.',
        'What can I do for you?',
    ]);
    bot.close();
});
