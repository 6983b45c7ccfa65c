// What the user presses and reads: the button of the turn, the end of the log, the drawer, figures and legend.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { runForAllTests } from './page_fixture.js';

const heron = 'You are the voice of the Blue Heron.';

const running = runForAllTests();

describe('the button of the turn', () => {
    test('interrupts and goes on in the same place', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        const interrupt = it.page.getByRole('button', { name: 'Interrupt' });
        const goOn = it.page.getByRole('button', { name: 'Go on' });
        const place = await interrupt.boundingBox();
        assert.equal(await goOn.count(), 0);
        await interrupt.click();
        assert.deepEqual(await goOn.boundingBox(), place);
        assert.equal(await interrupt.count(), 0);
        await goOn.click();
        await it.speaks(2);
        assert.deepEqual(await interrupt.boundingBox(), place);
        await it.close();
    });

    test('takes a double click for one', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.page.getByRole('button', { name: 'Interrupt' }).dblclick();
        await it.frame('page', 'end');
        assert.ok(!it.order().includes('→ resume'));
        await it.close();
    });
});

test('Escape in the field for a result does not interrupt', async () => {
    const it = await running.connect();
    await it.settings((drawer) => drawer.getByLabel('book_table').check());
    await it.say('Book a table for four.');
    await it.speaks(1);
    const field = it.page.getByLabel('Result of book_table');
    await field.fill('do');
    await field.press('Escape');
    assert.equal(await field.inputValue(), 'do');
    assert.ok(await it.page.evaluate(() => fake.isSpeaking()));
    await it.close();
});

test('who speaks is said in words', async () => {
    const it = await running.connect();
    await it.now('Your turn');
    await it.page.getByRole('button', { name: 'Microphone' }).click();
    await it.now('Listening to you');
    await it.page.evaluate(() => fake.hear('do you', false));
    await it.now('You are speaking');
    assert.deepEqual(await it.texts('.is-partial'), ['Youdo you']);
    await it.page.evaluate(() => fake.hear('Hello!', true));
    await it.speaks(1);
    await it.now('The bot is speaking');
    assert.deepEqual(await it.texts('.who'), ['You', 'Bot']);
    await it.page.getByRole('button', { name: 'Microphone' }).click();
    await it.page.keyboard.press('Escape');
    await it.now('Interrupted');
    await it.close();
});

describe('the log', () => {
    const distance = (it) =>
        it.page.evaluate(() => {
            const { scrollHeight, scrollTop, clientHeight } = document.querySelector('#scroll');
            return Math.round(scrollHeight - scrollTop - clientHeight);
        });
    const atEnd = (it) =>
        it.page.waitForFunction(() => {
            const { scrollHeight, scrollTop, clientHeight } = document.querySelector('#scroll');
            return scrollHeight > clientHeight && scrollHeight - scrollTop - clientHeight < 2;
        });

    /** A page with more words than fit into the view, and a speaking bot. */
    async function long() {
        const viewport = { width: 390, height: 500 };
        const it = await running.connect({ context: { viewport } });
        for (let n = 1; n <= 5; ++n) {
            await it.say('Hello!');
            await it.speaks(n);
        }
        await atEnd(it);
        return it;
    }

    test('stays at its end while the reply grows and the view shrinks', async () => {
        const it = await long();
        await it.endSpeech();
        await it.speaks(6);
        await atEnd(it);
        await it.page.getByLabel('Your words').fill('one\ntwo\nthree\nfour');
        await atEnd(it);
        await it.page.locator('summary').click();
        await atEnd(it);
        await it.close();
    });

    test('stays where the reader is, and leads to its end', async () => {
        const it = await long();
        await it.page.locator('#scroll').evaluate((scroll) => (scroll.scrollTop = 20));
        const toEnd = it.page.getByRole('button', { name: 'Latest words' });
        await toEnd.waitFor();
        await it.endSpeech();
        await it.speaks(6);
        assert.equal(await it.page.locator('#scroll').evaluate((scroll) => scroll.scrollTop), 20);
        assert.ok((await distance(it)) > 20);
        await toEnd.click();
        await atEnd(it);
        assert.equal(await toEnd.count(), 0);
        await it.close();
    });
});

describe('the drawer', () => {
    const focused = (it) => it.page.evaluate(() => document.activeElement.id);

    test('keeps the focus, closes by Escape, and gives the focus back', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.page.getByRole('button', { name: 'Settings', exact: true }).press('Enter');
        for (let n = 0; n < 20; ++n) {
            assert.ok(
                await it.page.evaluate(
                    () =>
                        document.activeElement === document.body ||
                        document.activeElement.closest('#drawer'),
                ),
                await focused(it),
            );
            await it.page.keyboard.press('Tab');
        }
        await it.page.keyboard.press('Escape');
        assert.equal(await it.page.getByRole('dialog').count(), 0);
        assert.equal(await focused(it), 'settings');
        assert.ok(!it.order().includes('→ interrupt'), 'Escape closes the drawer alone');
        await it.close();
    });

    test('changes the system prompt, and the conversation goes on with it', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        await it.endSpeech();
        await it.speaks(2);
        await it.settings((drawer) => drawer.getByLabel('System prompt').fill(heron));
        assert.equal((await it.frame('page', 'ready', 2)).resumed, false);
        assert.deepEqual((await it.frame('gateway', 'start', 3)).messages, [
            { role: 'system', content: heron },
            { role: 'user', content: 'Hello!' },
            { role: 'assistant', content: 'Hello.' },
        ]);
        await it.say('Do you have a table?');
        await it.speaks(3);
        assert.equal((await it.spoken()).at(-1), 'Yes, we do.');
        await it.close();
    });

    test('begins sessions with the chosen model and pacing', async () => {
        const it = await running.connect();
        await it.settings(async (drawer) => {
            await drawer.getByLabel('Model').selectOption('talk');
            await drawer.getByLabel('Pacing').selectOption('strict');
        });
        const { model, options } = await it.frame('gateway', 'start', 2);
        assert.deepEqual([model, options], ['talk', { pacing: 'strict' }]);
        await it.close();
    });

    test('begins no other session for the tools and the voice', async () => {
        const it = await running.connect();
        await it.settings(async (drawer) => {
            await drawer.getByLabel('get_time').check();
            await drawer.getByLabel('Speed of the voice').selectOption('Fast');
        });
        await it.say('Hello!');
        await it.speaks(1);
        assert.equal(it.frames.filter(({ type }) => type === 'ready').length, 1);
        await it.close();
    });

    test('speaks with the chosen voice and speed, of all voices those of the language first', async () => {
        const voices = [
            { name: 'Anna', lang: 'de-DE' },
            { name: 'Mary', lang: 'en-GB' },
        ];
        const it = await running.connect({ speech: { voices }, context: { locale: 'en-US' } });
        await it.settings(async (drawer) => {
            const names = await drawer.getByLabel('Voice', { exact: true }).locator('option').all();
            const texts = await Promise.all(names.map((name) => name.textContent()));
            assert.deepEqual(texts.slice(1), ['Mary', 'Anna']);
            await drawer.getByLabel('Voice', { exact: true }).selectOption('Anna');
            await drawer.getByLabel('Speed of the voice').selectOption('Fast');
        });
        await it.say('Hello!');
        await it.speaks(1);
        assert.deepEqual(await it.page.evaluate(() => fake.how()), {
            voice: 'Anna',
            lang: 'de-DE',
            rate: 1.25,
        });
        await it.close();
    });

    test('keeps what was chosen in the browser, but no key', async () => {
        const it = await running.connect();
        await it.settings(async (drawer) => {
            await drawer.getByLabel('System prompt').fill(heron);
            await drawer.getByLabel('book_table').check();
        });
        await it.page.reload();
        await it.status('Connected to talk');
        await it.settings(async (drawer) => {
            assert.equal(await drawer.getByLabel('System prompt').inputValue(), heron);
            assert.ok(await drawer.getByLabel('book_table').isChecked());
        });
        assert.deepEqual(await it.page.evaluate(() => Object.keys(localStorage)), [
            'tandem-settings',
        ]);
        await it.close();
    });

    test('is not stopped by settings that are none', async () => {
        const it = await running.connect();
        for (const kept of ['{', '[]', 'null', '{"prompt":7,"tools":{},"rate":[],"other":1}']) {
            await it.page.evaluate((text) => localStorage.setItem('tandem-settings', text), kept);
            await it.page.reload();
            await it.status('Connected to talk');
        }
        await it.close();
    });
});

describe('the figures', () => {
    const rows = (it) =>
        it.page.locator('#figures div').evaluateAll((all) =>
            all.map((row) => ({
                name: row.querySelector('dt').textContent,
                value: parseInt(row.querySelector('dd').textContent, 10),
                isPart: row.classList.contains('part'),
            })),
        );

    /** Returns the value of the row with this name, and the sum of the parts below it. */
    function sumOf(all, name) {
        const at = all.findIndex((row) => row.name === name);
        const below = all.slice(at + 1);
        const end = below.findIndex(({ isPart }) => !isPart);
        const parts = below.slice(0, end).map(({ value }) => value);
        return [all[at].value, parts.reduce((one, other) => one + other, 0)];
    }

    test('with parts are the sum of these, which are those of one reply', async () => {
        const it = await running.connect({ speech: { mode: 'flowing' } });
        await it.say('Hello!');
        await it.frame('page', 'end');
        await it.say('Do you have a table?');
        const { metrics, usage } = await it.frame('page', 'end', 2);
        await it.page.getByRole('heading', { name: 'Figures of reply 2' }).waitFor();
        const all = await rows(it);
        const [silence, ofParts] = sumOf(all, 'First chunk after your words');
        assert.equal(silence, ofParts);
        assert.ok(Math.abs(silence - metrics.voice_to_voice_ms.total) <= 0.51);
        const prompt = all.find(({ name }) => /^Prompts?$/.test(name)).name;
        assert.deepEqual(sumOf(all, prompt), [usage.prompt, usage.prompt]);
        assert.deepEqual(sumOf(all, 'Generated'), [usage.generated, usage.generated]);
        await it.close();
    });

    test('are rounded together', async () => {
        const it = await running.connect();
        const rounded = await it.page.evaluate(async () => {
            const { roundTogether } = await import('/assets/figures.js');
            return [[0.4, 0.4, 0.4], [1.5, 1.5], [0, 2.9, 0.2], []].map(roundTogether);
        });
        assert.deepEqual(rounded, [[1, 0, 0], [2, 1], [0, 3, 0], []]);
        await it.close();
    });
});

describe('the timeline', () => {
    const legend = (it) => it.texts('#legend li');

    test('is not there before the first reply', async () => {
        const it = await running.connect();
        await it.page.getByText('The next reply draws its timeline here.').waitFor();
        assert.ok(await it.page.locator('#legend').isHidden());
        assert.deepEqual(await legend(it), []);
        await it.close();
    });

    test('has a legend of what is there only', async () => {
        const it = await running.connect();
        await it.say('Hello!');
        await it.speaks(1);
        assert.ok(!(await legend(it)).includes('interrupted'));
        await it.page.keyboard.press('Escape');
        await it.frame('page', 'end');
        const kinds = await it.page
            .locator('.bar')
            .evaluateAll((bars) => new Set(bars.map((bar) => bar.classList[1])).size);
        const entries = await legend(it);
        assert.equal(entries.length, kinds);
        assert.ok(entries.includes('interrupted'));
        assert.ok(!entries.includes('tool'));
        await it.close();
    });

    test('cuts no label, wherever it is scrolled to', async () => {
        const it = await running.connect({ context: { viewport: { width: 960, height: 700 } } });
        for (let n = 1; n <= 8; ++n) {
            await it.say('Hello!');
            await it.speaks(n);
        }
        const cut = () =>
            it.page.locator('.track').evaluate((track) => {
                const view = track.getBoundingClientRect();
                return [...track.querySelectorAll('text')]
                    .filter((text) => text.getAttribute('visibility') !== 'hidden')
                    .map((text) => [text.textContent, text.getBoundingClientRect()])
                    .filter(([, { left, right }]) => left < view.left || right > view.right)
                    .map(([name]) => name);
            });
        const { most } = await it.page
            .locator('.track')
            .evaluate((track) => ({ most: track.scrollWidth - track.clientWidth }));
        assert.ok(most > 0);
        for (let left = 0; left <= most; left += 31) {
            await it.page.locator('.track').evaluate(async (track, to) => {
                track.scrollLeft = to;
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            }, left);
            assert.deepEqual(await cut(), []);
        }
        await it.close();
    });
});
