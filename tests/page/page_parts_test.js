// The page's pure functions and classes, tested one by one in the browser.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openBrowser, openPage, runGateway, runMockServer } from './page_fixture.js';

let browser;
let mock;
let gateway;
let it;

before(async () => {
    browser = await openBrowser();
    mock = await runMockServer();
    gateway = await runGateway(mock);
    it = await openPage(browser, gateway.port);
});

after(async () => {
    await browser?.close();
    await gateway?.stop();
    await mock?.stop();
});

/** Calls a function of an asset with each list of arguments, and returns the results. */
const ask = (file, name, calls) =>
    it.page.evaluate(
        async ([path, of, all]) => {
            const module = await import(path);
            return all.map((call) => module[of](...call));
        },
        [`/assets/${file}`, name, calls],
    );

test('of a chunk, whole words count as heard, whatever its text has besides', async () => {
    const plain = ' How are you?';
    const marked = ' **Very** well, 🎉 thanks.';
    const heard = await ask('bubbles.js', 'heardPart', [
        [plain, 'How are you?', 0],
        [plain, 'How are you?', 3],
        [plain, 'How are you?', 6],
        [plain, 'How are you?', 8],
        [plain, 'How are you?', 12],
        ['🎉🎉 Well done.', '🎉🎉 Well done.', 7],
        [marked, 'Very well, thanks.', 18],
        [marked, 'Very well, thanks.', 11],
    ]);
    assert.deepEqual(heard, [
        '',
        ' How',
        ' How',
        ' How are',
        ' How are you?',
        '🎉🎉 Well',
        marked,
        ' **Very** well,',
    ]);
});

test('an echo has mostly words that were just spoken', async () => {
    const spoken = 'We can seat four at the window from eight.';
    const echoes = await ask('echo.js', 'isEcho', [
        ['we can seat', spoken],
        ['at the window from eight', spoken],
        ['we can seat for', spoken],
        ['no wait', spoken],
        ['can we sit outside', spoken],
        ['four', ''],
        ['', spoken],
    ]);
    assert.deepEqual(echoes, [true, true, true, false, false, false, false]);
});

test('a filler is a separate sentence of what was heard', async () => {
    const heard = await it.page.evaluate(async () => {
        const { Bubbles } = await import('/assets/bubbles.js');
        const make = (name) => document.createElement(name);
        const bubbles = new Bubbles({ list: make('ol'), end: { go() {} }, told: make('p') });
        const bubble = bubbles.bot();
        const add = (text, filler) => bubble.add({ text, speech: text.trim(), filler });
        add('One moment.').hear(3);
        bubble.dropRest();
        add('moment.', true).hearAll();
        for (const text of ['It is ', 'noon.', ' Bye.']) add(text).hearAll();
        return bubble.heardText;
    });
    assert.equal(heard, 'One moment. It is noon. Bye.');
});

describe('a turn that goes on after calls', () => {
    /**
     * The texts of the log after "One moment." and a call, an interrupt when `heard` characters were
     * spoken, and these messages of the turn that goes on.
     */
    const shown = (heard, messages) =>
        it.page.evaluate(
            async ([chars, all]) => {
                const { Bubbles } = await import('/assets/bubbles.js');
                const { Talk } = await import('/assets/talk.js');
                const make = (name) => document.createElement(name);
                const list = make('ol');
                const line = new Proxy({}, { get: () => () => {} });
                let isCut = false;
                const speak = (_, on) => (isCut ? on.onEnd() : on.onProgress(chars));
                const talk = new Talk({
                    socket: { isReady: true, send: () => true },
                    speaker: { stop: () => chars, speak },
                    bubbles: new Bubbles({ list, end: { go() {} }, told: make('p') }),
                    timeLine: { begin: () => line },
                    settings: { tools: [], session: { messages: [] } },
                    onPhase() {},
                });
                const hear = (type, turn, fields) => talk.heard({ type, turn, ...fields });
                const end = (turn, finish_reason) =>
                    hear('end', turn, { reply: turn, finish_reason });
                talk.type('Time?');
                hear('chunk', '1', { id: '1-0', text: 'One moment.', speech: 'One moment.' });
                hear('call', '1', { id: 'c', name: 'get_time', arguments: { zone: 'nowhere' } });
                end('1', 'tool_calls');
                talk.interrupt();
                isCut = true;
                end('1', 'interrupted');
                talk.goOn();
                for (const { type, ...fields } of all) hear(type, '2', fields);
                return [...list.children].map((row) => row.querySelector('.text').textContent);
            },
            [heard, messages],
        );
    const chunk = (text, filler) => ({ type: 'chunk', text, speech: text, filler });
    const noon = chunk('It is noon.');
    const called = { type: 'end', reply: '2', finish_reason: 'tool_calls' };
    const call = 'The bot calls get_time {"zone":"nowhere"}';

    for (const [what, heard, messages] of [
        ['repeats its rest above them, and replies below', 3, [chunk('moment.', true), noon]],
        ['replies below them if all words were heard', 11, [noon]],
    ])
        test(what, async () => {
            assert.deepEqual(await shown(heard, messages), [
                ...['Time?', 'One moment.', call, 'It is noon.'],
            ]);
        });

    test('has its rest above them, even in two chunks, and the next reply below', async () => {
        const rest = [chunk(' mo'), chunk('ment.'), called, noon];
        assert.deepEqual(await shown(3, rest), ['Time?', 'One moment.', call, 'It is noon.']);
    });

    test('keeps the words before them if nothing was left of these', async () => {
        assert.deepEqual(await shown(11, [called]), ['Time?', 'One moment.', call, '']);
    });
});

describe('the timeline of a reply', () => {
    /** The bars, as "lane kind from-to", of a reply that began at 1000 on the page's clock. */
    const bars = (steps, now) =>
        it.page.evaluate(
            async ([all, at]) => {
                const { TimeLineTurn } = await import('/assets/time_line_turn.js');
                const turn = new TimeLineTurn(1000);
                for (const [method, ...what] of all) turn[method](...what);
                return turn
                    .bars(at)
                    .map(({ lane, kind, from, to }) => `${lane} ${kind} ${from}-${to}`);
            },
            [steps, now],
        );
    const chunk = (seq, more = {}) => ({
        ...{ id: `1-${seq}`, seq, text: 'Yes.', speech: 'Yes.', boundary: 'sentence', tokens: 2 },
        ...{ slot: 0, cached: 9, evaluated: 1, guard_wait_ms: 0, ...more },
    });

    test('has its slots in the order of their numbers', async () => {
        const lanes = await it.page.evaluate(async () => {
            const { TimeLine } = await import('/assets/time_line.js');
            const place = document.createElement('div');
            const [empty, legend] = [document.createElement('p'), document.createElement('ul')];
            const figures = { clear: () => {}, show: () => {} };
            const line = new TimeLine({ place, empty, legend, figures }).begin();
            const request = (slot, at_ms) => ({ what: 'request', at_ms, slot, server: 0 });
            line.ended({ timeline: [request(10, 0), request(2, 5)] });
            return [...place.querySelectorAll('.lanes li')].map((lane) => lane.textContent);
        });
        assert.deepEqual(lanes.slice(0, 2), ['Slot 2', 'Slot 10']);
    });

    test('shows silence until the first chunk', async () => {
        assert.deepEqual(await bars([], 1300), ['chunk gap 1000-1300']);
    });

    test('is told by chunks and speech while the reply runs', async () => {
        const steps = [
            ['chunk', chunk(0), 1200],
            ['speechBegan', chunk(0), 1210],
            ['speechEnded', 2000],
            ['chunk', chunk(1, { slot: 1, guard_wait_ms: 30, cached: 12 }), 2100],
            ['speechBegan', chunk(1), 2110],
        ];
        assert.deepEqual(await bars(steps, 2500), [
            'slot:0:0 generate 1000-1200',
            'wait wait 2000-2030',
            'slot:0:1 generate 2030-2100',
            'cache cache 1200-1200',
            'cache cache 2100-2100',
            'chunk gap 1000-1200',
            'chunk gap 2000-2100',
            'chunk chunk 1200-1200',
            'chunk chunk 2100-2100',
            'speech speech 1210-2000',
            'speech speech 2110-2500',
        ]);
    });

    test('has what the slots did, by the clock of the page, when the reply has ended', async () => {
        const timeline = [
            { what: 'slot_wait', at_ms: 0 },
            { what: 'request', at_ms: 20, slot: 0, server: 0 },
            { what: 'first_token', at_ms: 50, slot: 0, server: 0 },
            { what: 'cut', at_ms: 90, slot: 0, server: 0 },
            { what: 'chunk', at_ms: 90, slot: 0, chunk: 0, server: 0 },
            { what: 'warming', at_ms: 100, slot: 1, server: 0 },
            { what: 'warmed', at_ms: 160, slot: 1, server: 0 },
            { what: 'continued', at_ms: 700, chunk: 0 },
            { what: 'end', at_ms: 700 },
        ];
        const steps = [
            ['chunk', chunk(0), 1100],
            ['speechBegan', chunk(0), 1100],
            ['speechEnded', 1700],
            ['ended', { timeline }, 1710],
        ];
        const all = await bars(steps, 9000);
        assert.deepEqual(
            all.filter((bar) => !/^(cache|chunk)/.test(bar)),
            [
                'wait wait 1010-1030',
                'slot:0:0 prefill 1030-1060',
                'slot:0:0 generate 1060-1100',
                'slot:0:1 warming 1110-1170',
                'speech speech 1100-1700',
            ],
        );
    });

    test('marks where the user interrupted', async () => {
        const steps = [
            ['chunk', chunk(0), 1100],
            ['speechBegan', chunk(0), 1100],
            ['interrupted', 1400],
            ['ended', {}, 1410],
        ];
        const all = await bars(steps, 9000);
        assert.deepEqual(all.slice(-2), [
            'speech speech is-cut 1100-1400',
            'speech cut-off 1400-1400',
        ]);
    });
});
