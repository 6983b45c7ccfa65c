// Runs the sample at the beginning of docs/voice-websocket.md, unchanged, over a slow network.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { openBrowser, runGateway, runMockServer } from './page_fixture.js';
import { wireTo } from './programs.js';

const { TANDEM_DOCS } = process.env;
const latencyMs = 150;

const sample = /^```js\n(.*?)^```$/ms.exec(
    readFileSync(`${TANDEM_DOCS}/voice-websocket.md`, 'utf8'),
)[1];

let browser;
let mock;
let gateway;
let wire;

before(async () => {
    browser = await openBrowser();
    mock = await runMockServer();
    gateway = await runGateway(mock);
    wire = await wireTo(gateway.port, { latencyMs });
});

after(async () => {
    wire?.stop();
    await gateway?.stop();
    await mock?.stop();
    await browser?.close();
});

/** Runs the sample in a page, with speech synthesis and recognition that the test controls. */
async function runSample(page) {
    await page.evaluate(
        (code) => {
            const bot = { log: [], stt: {}, endSpeech: () => {} };
            globalThis.bot = bot;
            class Socket extends WebSocket {
                constructor(url, protocols) {
                    super(url.replace('localhost:8090', location.host), protocols);
                    this.addEventListener('message', ({ data }) => bot.log.push(JSON.parse(data)));
                }
            }
            const tts = {
                speak: (text) => {
                    bot.log.push({ type: 'speech', text });
                    return new Promise((done) => (bot.endSpeech = done));
                },
                stop: () => bot.endSpeech(),
            };
            new Function('WebSocket', 'tts', 'stt', code)(Socket, tts, bot.stt);
        },
        sample,
    );
}

test('speaks nothing of a reply that was talked over, whatever is still on its way', async () => {
    // A page of the gateway, because pages of other origins may not open its WebSocket.
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`http://127.0.0.1:${wire.port}/health`);
    const told = (type, n) =>
        page.waitForFunction(
            ([what, count]) => bot.log.filter((m) => m.type === what).length >= count,
            [type, n],
        );
    const userSays = (text) =>
        page.evaluate((words) => {
            bot.log.push({ type: 'user' });
            bot.stt.onfinal(words);
        }, text);
    await runSample(page);
    await told('ready', 1);
    await userSays('Hello!');
    await told('speech', 1);
    // The gateway has sent the second sentence when the user interrupts it.
    const second = wire.carries('"id":"2-1"');
    await page.evaluate(() => bot.endSpeech());
    await second;
    await userSays('Do you have a table?');
    for (let n = 1; n <= 2; ++n) {
        await page.waitForFunction(
            (count) => {
                const user = bot.log.findLastIndex((m) => m.type === 'user');
                return bot.log.slice(user).filter((m) => m.type === 'speech').length >= count;
            },
            n,
        );
        await page.evaluate(() => bot.endSpeech());
    }
    const log = await page.evaluate(() => bot.log);
    const spoken = log.slice(log.findLastIndex(({ type }) => type === 'user'));
    assert.deepEqual(
        spoken.filter(({ type }) => type === 'speech').map(({ text }) => text),
        ['Yes, we do.', 'How many of you are coming?'],
    );
    await page.close();
});
