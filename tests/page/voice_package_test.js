// Runs tandem-voice in a browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { openBrowser, runGateway, runMockServer } from './page_fixture.js';
import { wireTo } from './programs.js';

const { TANDEM_VOICE_PACKAGE } = process.env;
const system = 'You are the voice of the Blue Heron.';

let browser;
let mock;
let gateway;
let wire;

before(async () => {
    browser = await openBrowser();
    mock = await runMockServer();
    gateway = await runGateway(mock);
    wire = await wireTo(gateway.port);
});

after(async () => {
    wire?.stop();
    await gateway?.stop();
    await mock?.stop();
    await browser?.close();
});

/** A page of the gateway that can import the package. */
async function openPage() {
    const page = await browser.newPage({ bypassCSP: true });
    await page.route('**/tandem-voice/*', (route) => {
        const [name] = /[\w.]+$/.exec(route.request().url());
        const body = readFileSync(`${TANDEM_VOICE_PACKAGE}/${name}`);
        return route.fulfill({ body, contentType: 'text/javascript' });
    });
    await page.exposeFunction('cut', () => wire.cut());
    await page.goto(`http://127.0.0.1:${wire.port}/health`);
    return page;
}

test('a reply is spoken to its end, though its connection is lost', async () => {
    const page = await openPage();
    const told = await page.evaluate(async (prompt) => {
        const { connect } = await import('/tandem-voice/session.js');
        const talk = connect(location.origin, { system: prompt });
        const reply = talk.ask('Hello!');
        const spoken = [];
        for await (const chunk of reply) {
            spoken.push(chunk.speech);
            if (spoken.length === 2) await cut();
        }
        const next = talk.ask('Do you have a table?');
        let text = '';
        for await (const chunk of next) text += chunk.text;
        talk.close();
        return { spoken, text, end: next.end.finish_reason };
    }, system);
    assert.deepEqual(told, {
        spoken: ['Hello.', 'How are you?', 'I am very well today, thank you.'],
        text: 'Yes, we do. How many of you are coming?',
        end: 'eos',
    });
    await page.close();
});
