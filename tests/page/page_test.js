// The page at `/` in a real browser. Only speech synthesis and recognition are fakes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { openPage, runForAllTests, runGateway } from './page_fixture.js';
import { wireTo } from './programs.js';

const greeting = ['Hello.', 'How are you?', 'I am very well today, thank you.'];
const closedByTheWire = /ERR_(CONNECTION|EMPTY)_/;

const running = runForAllTests();

describe('a conversation', () => {
    test('speaks each chunk, and asks for the next one when it was spoken', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        for (let n = 1; n <= greeting.length; ++n) {
            await it.speaks(n);
            assert.equal(it.frames.filter(({ type }) => type === 'chunk').length, n);
            await it.endSpeech();
        }
        await it.frame('page', 'end');
        assert.deepEqual(await it.spoken(), greeting);
        assert.deepEqual(it.order().slice(2), [
            '→ start',
            'chunk',
            '→ continue',
            'chunk',
            '→ continue',
            'chunk',
            '→ continue',
            'end',
        ]);
        assert.deepEqual(await it.texts('.user .text'), ['Hello!']);
        assert.deepEqual(await it.texts('.bot .text'), [greeting.join(' ')]);
        await it.close();
    });

    test('is stopped by the button, keeps what was heard, and goes on if it was no barge-in', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.endSpeech();
        await it.speaks(2);
        await it.page.evaluate(() => fake.reach(8));
        await it.page.getByRole('button', { name: 'Interrupt' }).click();
        assert.deepEqual((await it.frame('gateway', 'interrupt')).heard, {
            chunk: '1-1',
            chars: 8,
        });
        assert.equal((await it.frame('page', 'end')).finish_reason, 'interrupted');
        assert.equal((await it.texts('.heard')).join('').trim(), 'Hello. How are');
        assert.equal((await it.texts('.unheard')).join('').trim(), 'you?');
        assert.equal(await it.page.evaluate(() => fake.isSpeaking()), false);

        await it.page.getByRole('button', { name: 'Go on' }).click();
        await it.speaks(3);
        assert.deepEqual(await it.texts('.unheard'), []);
        await it.endSpeech();
        await it.speaks(4);
        await it.endSpeech();
        await it.frame('page', 'end', 2);
        assert.deepEqual(await it.texts('.bot .text'), [greeting.join(' ')]);
        await it.close();
    });

    test('is interrupted by what is sent next', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.say('Do you have a table?');
        await it.speaks(2);
        assert.equal((await it.frame('page', 'end')).finish_reason, 'interrupted');
        assert.deepEqual(it.order().slice(4), ['→ interrupt', '→ start', 'end', 'chunk']);
        assert.deepEqual(await it.texts('.unheard'), ['Hello.']);
        await it.close();
    });

    test('is interrupted by Escape', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.page.keyboard.press('Escape');
        assert.equal((await it.frame('page', 'end')).finish_reason, 'interrupted');
        await it.close();
    });

    test('begins anew, and knows nothing of what was said', async () => {
        const it = await running.connect({ speech: { mode: 'flowing' } });
        await it.say('Hello!');
        await it.frame('page', 'end');
        await it.page.getByRole('button', { name: 'New' }).click();
        const second = await it.frame('page', 'ready', 2);
        assert.equal(second.resumed, false);
        assert.deepEqual(it.frames.filter(({ type }) => type === 'start').at(-1), {
            to: 'gateway',
            type: 'start',
        });
        assert.deepEqual(await it.texts('#bubbles li'), []);
        await it.close();
    });
});

describe('functions', () => {
    /** Asks for a table. The model books it with a function. */
    async function booking(port = running.gateway.port) {
        const it = await openPage(running.browser, port);
        await it.status('Connected to talk');
        await it.settings((drawer) => drawer.getByLabel('book_table').check());
        await it.say('Book a table for four.');
        await it.speaks(1);
        await it.page.locator('.called', { hasText: 'book_table {"guests":4}' }).waitFor();
        return it;
    }

    async function answer(it, result) {
        await it.page.getByLabel('Result of book_table').fill(result);
        await it.page.getByRole('button', { name: 'Answer' }).click();
        await it.page.locator('.called', { hasText: `→ ${result}` }).waitFor();
    }

    test('are answered by the user, and the reply to the result follows', async () => {
        const it = await booking();
        const { id } = await it.frame('page', 'call');
        await it.endSpeech();
        await it.frame('page', 'end');
        await answer(it, 'done');
        assert.deepEqual(await it.frame('gateway', 'result'), {
            to: 'gateway',
            type: 'result',
            call: id,
            content: 'done',
        });
        await it.speaks(2);
        await it.endSpeech();
        await it.speaks(3);
        await it.endSpeech();
        await it.frame('page', 'end', 2);
        assert.deepEqual(await it.texts('.bot .text'), [
            'One moment.',
            'It is booked. See you soon.',
        ]);
        assert.equal(await it.page.getByLabel('Result of book_table').count(), 0);
        assert.ok((await it.texts('.lanes li')).includes('Tools'));
        const told = await it.texts('.bar.call title');
        assert.deepEqual([...new Set(told)], ['book_table {"guests":4} → done']);
        await it.close();
    });

    test('that are answered while the voice speaks do not cut it', async () => {
        const it = await booking();
        await it.frame('page', 'end');
        await answer(it, 'done');
        await it.frame('page', 'chunk', 2);
        assert.deepEqual(await it.spoken(), ['One moment.']);
        await it.endSpeech();
        await it.speaks(2);
        assert.deepEqual(await it.spoken(), ['One moment.', 'It is booked.']);
        await it.close();
    });

    test('are dropped when the user talks over the voice', async () => {
        const it = await booking();
        await it.page.evaluate(() => fake.reach(11));
        await it.frame('page', 'end');
        await it.say('Hello!');
        await it.page.locator('.called', { hasText: '→ no result: interrupted' }).waitFor();
        await it.speaks(2);
        assert.deepEqual(await it.spoken(), ['One moment.', 'Hello again.']);
        await it.close();
    });

    test('are dropped when the user goes on before their result', async () => {
        const it = await booking();
        await it.endSpeech();
        await it.frame('page', 'end');
        await it.say('Hello!');
        await it.page.locator('.called', { hasText: '→ no result: interrupted' }).waitFor();
        await it.speaks(2);
        assert.deepEqual(await it.texts('.bot .text'), ['One moment.', 'Hello again.']);
        await it.close();
    });

    test('that run when the connection is lost are dropped, and the bot goes on', async (t) => {
        const wire = await wireTo(running.gateway.port);
        t.after(() => wire.stop());
        const it = await booking(wire.port);
        await it.endSpeech();
        await it.frame('page', 'end');
        wire.cut();
        await it.page.locator('.called', { hasText: '→ no result: interrupted' }).waitFor();
        await it.speaks(2);
        await it.close();
    });

    test('tell the time by themselves', async () => {
        const it = await running.connect();
        await it.settings((drawer) => drawer.getByLabel('get_time').check());
        await it.say('What time is it?');
        assert.match((await it.frame('gateway', 'result')).content, /^\d+:\d\d [AP]M$/);
        await it.speaks(1);
        await it.close();
    });

    test('are offered only while they are switched on', async () => {
        const it = await running.connect();
        await it.settings((drawer) => drawer.getByLabel('get_time').check());
        await it.settings((drawer) => drawer.getByLabel('get_time').uncheck());
        await it.say('Hello!');
        await it.speaks(1);
        assert.deepEqual((await it.frame('gateway', 'start', 2)).options, { tools: [] });
        await it.close();
    });
});

describe('the microphone', () => {
    test('is talked over the voice: words stop it, and are sent when they end', async () => {
        const it = await running.connect();
        await it.page.getByRole('button', { name: 'Microphone' }).click();
        await it.now('Listening');
        await it.page.evaluate(() => fake.hear('Hello!', true));
        await it.speaks(1);
        await it.page.evaluate(() => fake.hear('Do you', false));
        assert.equal((await it.frame('page', 'end')).finish_reason, 'interrupted');
        await it.page.evaluate(() => fake.hear('Do you have a table?', true));
        await it.speaks(2);
        const asked = await it.frame('gateway', 'commit', 2);
        assert.equal(asked.text, 'Do you have a table?');
        assert.equal(typeof asked.user_stopped_ms_ago, 'number');
        await it.close();
    });

    test('is not deceived by the voice of the page itself', async () => {
        const it = await running.connect();
        await it.page.getByRole('button', { name: 'Microphone' }).click();
        await it.say('Hello!');
        await it.speaks(1);
        await it.endSpeech();
        await it.speaks(2);
        await it.page.evaluate(() => fake.hear('how are', false));
        await it.page.evaluate(() => fake.hear('how are you', true));
        await it.endSpeech();
        await it.speaks(3);
        assert.ok(!it.order().includes('→ interrupt'));
        await it.close();
    });

    test('is not offered where the browser has none', async () => {
        const it = await running.connect({ speech: { hasEars: false } });
        assert.equal(await it.page.getByRole('button', { name: 'Microphone' }).count(), 0);
        await it.close();
    });
});

describe('without a voice', () => {
    test('chunks come at the pace of one', async () => {
        const it = await running.connect();
        await it.page.clock.install();
        await it.page.reload();
        await it.status('Connected to talk');
        await it.page.getByRole('button', { name: 'Voice' }).click();
        await it.page.clock.pauseAt(await it.page.evaluate(() => Date.now() + 1000));
        await it.say('Hello!');
        for (const [n, text] of greeting.entries()) {
            await it.page.locator('.bot .text', { hasText: text }).waitFor();
            const soon = text.length * 50; // 20 letters a second; the page takes 16, in steps of 100 ms
            await it.page.clock.runFor(soon);
            assert.equal(it.order().filter((type) => type === '→ continue').length, n);
            // The clock runs no longer than this, because the next chunk may already be there.
            await it.page.clock.runFor(Math.ceil((text.length * 62.5) / 100) * 100 - soon);
            await it.frame('gateway', 'continue', n + 1);
        }
        await it.frame('page', 'end');
        assert.deepEqual(await it.spoken(), []);
        assert.equal(
            await it.page.locator('#told').textContent(),
            `Bot: ${greeting.at(-1)}`,
            'for screen readers',
        );
        await it.close();
    });

    test('in a browser that does not speak, replies go on and it is said', async () => {
        const it = await running.open({ speech: { mode: 'broken' } });
        await it.page.clock.install();
        await it.page.reload();
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.frame('page', 'chunk');
        await it.page.clock.runFor(5000);
        await it.page.locator('.note', { hasText: 'does not speak' }).waitFor();
        await it.page.clock.runFor(5000);
        await it.frame('gateway', 'continue');
        await it.close();
    });
});

describe('a connection that is lost', () => {
    test('is made again, and what was not heard comes again', async (t) => {
        const wire = await wireTo(running.gateway.port);
        t.after(() => wire.stop());
        const it = await openPage(running.browser, wire.port);
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.speaks(1);
        await it.endSpeech();
        await it.speaks(2);
        wire.cut();
        await it.speaks(3);
        const { session } = await it.frame('page', 'ready');
        const again = await it.frame('page', 'ready', 2);
        assert.deepEqual([again.session, again.resumed], [session, true]);
        assert.deepEqual(await it.spoken(), ['Hello.', 'How are you?', 'How are you?']);
        const { turn } = await it.frame('gateway', 'start', 2);
        const chunks = it.frames.filter(({ type }) => type === 'chunk');
        assert.deepEqual([...new Set(chunks.map((chunk) => chunk.turn))], [turn]);
        await it.endSpeech();
        await it.speaks(4);
        await it.endSpeech();
        await it.page.waitForFunction(() => document.querySelector('#turn').disabled);
        assert.deepEqual(await it.texts('.bot .text'), [greeting.join(' ')]);
        await it.close();
    });

    test('after a restart of the gateway, the history is told anew and what was typed is answered', async (t) => {
        let second = await runGateway(running.mock);
        t.after(() => second.stop());
        const wire = await wireTo(second.port);
        t.after(() => wire.stop());
        const it = await openPage(running.browser, wire.port, { speech: { mode: 'flowing' } });
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.frame('page', 'end');
        wire.leadTo(null);
        await second.stop();
        await it.status('No connection');
        await it.say('Do you have a table?');
        second = await runGateway(running.mock);
        wire.leadTo(second.port);
        await it.frame('page', 'end', 2);
        const anew = it.frames.filter(({ type, messages }) => type === 'start' && messages).at(-1);
        assert.deepEqual(anew.messages, [
            { role: 'user', content: 'Hello!' },
            { role: 'assistant', content: greeting.join(' ') },
            { role: 'user', content: 'Do you have a table?' },
        ]);
        assert.equal(
            (await it.texts('.bot .text')).at(-1),
            'Yes, we do. How many of you are coming?',
        );
        await it.close(closedByTheWire);
    });
});

describe('with keys', () => {
    let folder;
    let locked;
    let key;
    let entry;

    /** Writes a key file with the command's entry and additional fields. */
    function keyFile(name, more = {}) {
        const file = path.join(folder, name);
        writeFileSync(file, JSON.stringify({ keys: [{ ...JSON.parse(entry), ...more }] }));
        return file;
    }

    before(async () => {
        folder = mkdtempSync(path.join(tmpdir(), 'tandem-page-'));
        [key, entry] = execFileSync(process.env.TANDEM_COMMAND, ['key', '--name', 'visitor'], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
        }).split('\n');
        locked = await runGateway(running.mock, { more: ['--keys', keyFile('all.json')] });
    });
    after(async () => {
        await locked?.stop();
        rmSync(folder, { recursive: true });
    });

    test('it asks for one, keeps it for the tab, and puts it into no address', async () => {
        const it = await openPage(running.browser, locked.port, { speech: { mode: 'flowing' } });
        const field = it.page.getByLabel('Key', { exact: true });
        await field.waitFor();
        assert.ok(await field.evaluate((element) => element === document.activeElement));
        await field.fill(key);
        await field.press('Enter');
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.frame('page', 'end');
        await it.page.reload();
        await it.status('Connected to talk');
        assert.ok(it.requests.every((address) => !address.includes(key)));
        await it.close();
    });

    test('it asks for one even if the browser forbids storage', async () => {
        const it = await openPage(running.browser, locked.port);
        await it.page.addInitScript(() => {
            const forbid = () => {
                throw new DOMException('Access is denied', 'SecurityError');
            };
            Object.defineProperty(window, 'sessionStorage', { get: forbid });
        });
        await it.page.reload();
        await it.page.getByLabel('Key', { exact: true }).fill(key);
        await it.page.keyboard.press('Enter');
        await it.status('Connected to talk');
        await it.page.getByRole('button', { name: 'New' }).click();
        await it.frame('page', 'ready', 2);
        await it.close();
    });

    test('it takes one that may do nothing but talk', async (t) => {
        const file = keyFile('talk.json', { rights: ['generate'] });
        const strict = await runGateway(running.mock, { more: ['--keys', file] });
        t.after(() => strict.stop());
        const it = await openPage(running.browser, strict.port, { speech: { mode: 'flowing' } });
        await it.page.getByLabel('Key', { exact: true }).fill(key);
        await it.page.keyboard.press('Enter');
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.frame('page', 'end');
        await it.close(/403/);
    });

    test('it tells that one is wrong, and asks again', async () => {
        const it = await openPage(running.browser, locked.port);
        const field = it.page.getByLabel('Key', { exact: true });
        await field.fill('tdm_wrong');
        await field.press('Enter');
        await it.page.getByRole('alert').filter({ hasText: 'unknown' }).waitFor();
        await field.fill(key);
        await field.press('Enter');
        await it.status('Connected to talk');
        await it.close(/401/);
    });

    test('it tells why one gets no session, and keeps words that nobody would answer', async (t) => {
        const file = keyFile('other.json', { models: ['other'] });
        const strict = await runGateway(running.mock, { more: ['--keys', file] });
        t.after(() => strict.stop());
        const it = await openPage(running.browser, strict.port);
        await it.page.getByLabel('Key', { exact: true }).fill(key);
        await it.page.keyboard.press('Enter');
        await it.status("may not use the model 'talk'");
        await it.say('Hello!');
        await it.page.locator('.fault', { hasText: 'This was not sent: the key' }).waitFor();
        assert.equal(await it.page.getByLabel('Your words').inputValue(), 'Hello!');
        assert.deepEqual(await it.texts('.bot .text'), []);
        await it.close();
    });

    test('it connects once, however often New is pressed', async () => {
        const it = await openPage(running.browser, locked.port);
        await it.page.getByLabel('Key', { exact: true }).fill(key);
        await it.page.keyboard.press('Enter');
        await it.status('Connected to talk');
        const held = [];
        await it.page.route('**/v1/models', (route) =>
            held.length === 0 ? held.push(route) : route.continue(),
        );
        const isAsked = it.page.waitForRequest('**/v1/models');
        await it.page.getByRole('button', { name: 'New' }).click();
        await isAsked;
        await it.page.getByRole('button', { name: 'New' }).click();
        await it.frame('page', 'ready', 2);
        const late = held[0].request().response();
        await held[0].continue();
        await late;
        await it.say('Hello!');
        await it.speaks(1);
        assert.equal(it.requests.filter((address) => address.startsWith('ws:')).length, 2);
        await it.close();
    });
});

describe('the timeline', () => {
    test('shows slots, chunks, speech and cache, and the figures of the reply', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        for (let n = 1; n <= 3; ++n) {
            await it.speaks(n);
            assert.equal(await it.page.locator('.bar.chunk').count(), n);
            assert.equal(await it.page.locator('.bar.speech').count(), n);
            await it.endSpeech();
        }
        await it.frame('page', 'end');
        await it.page.locator('.bar.prefill').first().waitFor();
        assert.ok(await it.page.locator('.bar.generate').count());
        assert.ok(await it.page.locator('.bar.cache').count());
        const lanes = await it.texts('.lanes li');
        assert.deepEqual(lanes.slice(-3), ['Cache', 'Chunks', 'Speech']);
        assert.match(lanes[0], /^Slot \d$/);
        const names = await it.texts('#figures dt');
        for (const name of ['First chunk after your words', 'Chunks', 'Generated', 'Evaluated'])
            assert.ok(names.includes(name), name);
        await it.close();
    });

    test('shows warming, and waits for the reuse guard', async (t) => {
        // The guard is longer than three chunks take in a browser on a slow machine.
        const guarded = await runGateway(running.mock, {
            more: ['--reuse-guard', '12s', '--pacing', 'warm'],
        });
        t.after(() => guarded.stop());
        const it = await openPage(running.browser, guarded.port);
        await it.status('Connected to talk');
        await it.say('Hello!');
        for (let n = 1; n <= 3; ++n) {
            await it.speaks(n);
            await it.page
                .locator('.bar.speech')
                .nth(n - 1)
                .waitFor();
            await it.endSpeech();
        }
        assert.ok((await it.frame('page', 'end')).metrics.guard_waits > 0);
        await it.page.locator('.bar.warming').first().waitFor({ state: 'attached' });
        await it.page.locator('.bar.wait').first().waitFor({ state: 'attached' });
        await it.close();
    });

    test('tells the silence since the user stopped, where the microphone knows', async () => {
        const it = await running.connect({ speech: { mode: 'flowing' } });
        await it.page.getByRole('button', { name: 'Microphone' }).click();
        await it.page.evaluate(() => fake.hear('Hello!', false));
        await it.page.evaluate(() => fake.hear('Hello!', true));
        await it.frame('page', 'end');
        const names = await it.texts('#figures dt');
        assert.ok(names.includes('First chunk after your words'), names);
        await it.close();
    });
});

describe('a session that is refused for now', () => {
    test('is asked for again, and the page tells why', async () => {
        const it = await running.connect();
        let asked = 0;
        await it.page.routeWebSocket(/voice/, (socket) => {
            if (++asked > 1) return socket.connectToServer();
            const why = { code: 'too_many_sessions', message: 'the key has 1 session' };
            const refusal = { type: 'error', ...why, retryable: true, retry_after_ms: 1000 };
            socket.onMessage(() => socket.send(JSON.stringify(refusal)));
        });
        await it.page.reload();
        await it.status('the key has 1 session; trying again in 1 s');
        await it.say('Hello!');
        await it.status('Connected to talk');
        await it.speaks(1);
        await it.close();
    });
});
