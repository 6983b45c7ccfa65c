// Opens the page of `tandem serve` in Chromium, with a mock server, and records the page's messages.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { fakeSpeech } from './fake_speech.js';
import { run } from './programs.js';

const { TANDEM_COMMAND, TANDEM_MOCK_SERVER, TANDEM_CHROMIUM } = process.env;
const dialogues = fileURLToPath(new URL('dialogues.jsonl', import.meta.url));

const browserFlags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
];

export const openBrowser = () =>
    chromium.launch({ executablePath: TANDEM_CHROMIUM, args: browserFlags });

export const runMockServer = ({ tokensPerSecond = 500 } = {}) =>
    run(TANDEM_MOCK_SERVER, [
        '--port',
        '0',
        '--no-bos',
        '--tool-template',
        '--dialogues',
        dialogues,
        '--tokens-per-second',
        String(tokensPerSecond),
    ]);

export const runGateway = (mock, { more = [] } = {}) =>
    run(TANDEM_COMMAND, [
        'serve',
        '--proxy',
        'none',
        '--listen',
        '127.0.0.1:0',
        '--url',
        `http://127.0.0.1:${mock.port}`,
        '--model',
        'talk',
        '--first-chunk-min-tokens',
        '0',
        '--reuse-guard',
        '0',
        ...more,
    ]);

/** Runs a browser, a mock server and a gateway for the tests of a file. */
export function runForAllTests({ mock, gateway } = {}) {
    const running = {
        open: (options) => openPage(running.browser, running.gateway.port, options),
        async connect(options) {
            const it = await running.open(options);
            await it.status('Connected to talk');
            return it;
        },
    };
    before(async () => {
        running.browser = await openBrowser();
        running.mock = await runMockServer(mock);
        running.gateway = await runGateway(running.mock, gateway);
    });
    after(async () => {
        await running.gateway?.stop();
        await running.mock?.stop();
        await running.browser?.close();
    });
    return running;
}

/** Opens the gateway's page. `frames` contains the messages of the page's WebSockets, in order. */
export async function openPage(browser, port, { speech = {}, context: contextOptions = {} } = {}) {
    const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...contextOptions,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    const frames = [];
    const arrivals = new EventEmitter();
    const note = (to, payload) => {
        frames.push({ to, ...JSON.parse(payload) });
        arrivals.emit('frame');
    };
    const faults = [];
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('websocket', (socket) => {
        requests.push(socket.url());
        socket.on('framesent', ({ payload }) => note('gateway', payload));
        socket.on('framereceived', ({ payload }) => note('page', payload));
    });
    await page.addInitScript(fakeSpeech, speech);
    await page.goto(`http://127.0.0.1:${port}/`);
    return new OpenPage(page, { frames, arrivals, faults, requests });
}

class OpenPage {
    constructor(page, told) {
        this.page = page;
        Object.assign(this, told);
    }

    status(text) {
        return this.page.locator('#status', { hasText: text }).waitFor();
    }

    /** Waits until the page shows this as its current activity. */
    now(text) {
        return this.page.locator('#now', { hasText: text }).waitFor();
    }

    /** Changes settings in the drawer, and closes it. */
    async settings(change) {
        await this.page.getByRole('button', { name: 'Settings', exact: true }).click();
        await change(this.page.getByRole('dialog', { name: 'Settings' }));
        await this.page.keyboard.press('Escape');
    }

    async say(text) {
        await this.page.getByLabel('Your words').fill(text);
        await this.page.getByLabel('Your words').press('Enter');
    }

    /** Waits until the voice has received `count` chunks and is speaking the last one. */
    speaks(count) {
        return this.page.waitForFunction(
            (n) => fake.spoken.length === n && fake.isSpeaking(),
            count,
        );
    }

    spoken() {
        return this.page.evaluate(() => fake.spoken);
    }

    /** Ends the utterance of the voice. */
    endSpeech() {
        return this.page.evaluate(() => fake.end());
    }

    /** Waits for the nth message of this type that `to` receives. */
    async frame(to, type, nth = 1) {
        const found = () =>
            this.frames.filter((frame) => frame.to === to && frame.type === type)[nth - 1];
        const signal = AbortSignal.timeout(15000);
        while (!found())
            await once(this.arrivals, 'frame', { signal }).catch(() =>
                assert.fail(`no ${type} (${nth}) to the ${to} in ${JSON.stringify(this.frames)}`),
            );
        return found();
    }

    /** The types of all messages, in order: "chunk" from the gateway, "→ continue" to the gateway. */
    order() {
        return this.frames.map(({ to, type }) => (to === 'gateway' ? `→ ${type}` : type));
    }

    texts(selector) {
        return this.page.locator(selector).allTextContents();
    }

    /** Closes the page, and checks that all faults match one of the patterns in `expected`. */
    async close(...expected) {
        const wrong = this.faults.filter(
            (fault) => !expected.some((pattern) => pattern.test(fault)),
        );
        await this.page.context().close();
        assert.deepEqual(wrong, []);
    }
}
