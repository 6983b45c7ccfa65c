// The look and accessibility of the page: on a phone, by keyboard, with a screen reader, light and dark.

import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';

import { contrast } from './contrast.js';
import { overflow } from './overflow.js';
import { runForAllTests } from './page_fixture.js';

const pictures = process.env.TANDEM_PAGE_PICTURES;

const running = runForAllTests({
    mock: { tokensPerSecond: 60 },
    gateway: { more: ['--reuse-guard', '600ms'] },
});

// Runs a dialogue: a whole reply, a reply interrupted in mid-sentence, and a running reply.
async function talkedWith(context) {
    const it = await running.open({ context });
    await it.status('Connected to talk');
    await it.say('Hello!');
    for (let n = 1; n <= 3; ++n) {
        await it.speaks(n);
        await it.endSpeech();
    }
    await it.frame('page', 'end');
    await it.say('Do you have a table?');
    await it.speaks(4);
    await it.endSpeech();
    await it.speaks(5);
    await it.page.evaluate(() => fake.reach(12));
    await it.page.getByRole('button', { name: 'Interrupt' }).click();
    await it.frame('page', 'end', 2);
    await it.say('What is there to see in the town, and how do I get there from the station?');
    await it.speaks(6);
    await it.endSpeech();
    await it.speaks(7);
    await it.page.evaluate(() => fake.reach(12));
    return it;
}

const picture = (it, name) =>
    pictures && it.page.screenshot({ path: path.join(pictures, `${name}.png`) });

const sizes = [
    { name: 'desktop', viewport: { width: 1280, height: 800 } },
    { name: 'phone', viewport: { width: 390, height: 844 }, hasTouch: true },
    { name: 'narrow', viewport: { width: 320, height: 568 }, hasTouch: true },
];

for (const colorScheme of ['light', 'dark'])
    for (const { name, ...size } of sizes)
        test(`${name}, ${colorScheme}: all fits, and the controls are in sight`, async () => {
            const it = await talkedWith({ ...size, colorScheme });
            await picture(it, `${name}-${colorScheme}`);
            assert.deepEqual(await it.page.evaluate(overflow), []);
            for (const label of ['Voice', 'Settings', 'New', 'Microphone', 'Interrupt', 'Send'])
                assert.ok(
                    await isInSight(it.page.getByRole('button', { name: label }), size.viewport),
                    label,
                );
            if (name !== 'desktop') {
                await it.page.locator('summary').click();
                await picture(it, `${name}-${colorScheme}-time-line`);
                assert.deepEqual(await it.page.evaluate(overflow), []);
                assert.ok(
                    await isInSight(it.page.getByRole('button', { name: 'Send' }), size.viewport),
                );
            }
            await it.settings(async () => {
                await picture(it, `${name}-${colorScheme}-settings`);
                assert.deepEqual(await it.page.evaluate(overflow), []);
            });
            await it.close();
        });

test('words without a place to break fit a narrow page, and a function of a long name', async () => {
    const it = await running.open({
        context: { viewport: { width: 320, height: 568 } },
    });
    await it.status('Connected to talk');
    await it.say(`https://www.example.com/${'long'.repeat(40)}`);
    await it.speaks(1);
    await it.page.evaluate(() => {
        document.querySelector('#status').textContent = 'unbreakable_'.repeat(10);
        document.querySelector('#now').textContent = 'unbreakable_'.repeat(10);
    });
    await picture(it, 'narrow-long');
    assert.deepEqual(await it.page.evaluate(overflow), []);
    await it.close();
});

test('what is said and the text field stay in sight above a keyboard, beside an open timeline', async () => {
    const viewport = { width: 390, height: 400 };
    const it = await talkedWith({ viewport });
    await it.page.locator('summary').click();
    await it.page.getByLabel('Your words').fill('one\ntwo\nthree');
    await picture(it, 'keyboard');
    assert.deepEqual(await it.page.evaluate(overflow), []);
    assert.ok(await isInSight(it.page.getByRole('button', { name: 'Send' }), viewport));
    assert.ok(await isInSight(it.page.locator('#scroll'), viewport));
    await it.close();
});

async function isInSight(locator, { width, height }) {
    const box = await locator.boundingBox();
    return (
        box.x >= 0 &&
        box.y >= 0 &&
        box.x + box.width <= width &&
        box.y + box.height <= height &&
        box.height >= 36
    );
}

test('the key is asked for in a dialog, which is in sight', async () => {
    const it = await running.open();
    await it.page.evaluate(() => document.querySelector('#key-entry').showModal());
    await picture(it, 'key');
    const dialog = it.page.locator('[open]');
    const field = dialog.getByLabel('Key', { exact: true });
    assert.ok(await isInSight(field, it.page.viewportSize()));
    for (const button of await dialog.getByRole('button').all())
        assert.ok(await isInSight(button, it.page.viewportSize()));
    await it.close();
});

describe('by keyboard', () => {
    test('Tab goes through the page in its order, and shows where it is', async () => {
        const it = await running.open();
        await it.status('Connected to talk');
        const stops = [];
        for (let n = 0; n < 9; ++n) {
            await it.page.keyboard.press('Tab');
            stops.push(
                await it.page.evaluate(() => {
                    const element = document.activeElement;
                    const { outlineStyle, outlineWidth } = getComputedStyle(element);
                    return {
                        name: element.id || element.className || element.localName,
                        outline: `${outlineStyle} ${outlineWidth}`,
                    };
                }),
            );
        }
        assert.deepEqual(
            stops.map(({ name }) => name),
            ['skip', 'voice', 'settings', 'anew', 'scroll', 'listen', 'words', 'send', 'summary'],
        );
        assert.ok(
            stops.every(({ outline }) => outline === 'solid 2px'),
            JSON.stringify(stops),
        );
        await it.close();
    });

    test('an interrupt leaves the focus on a control that is there', async () => {
        const it = await running.open();
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.speaks(1);
        await it.page.getByRole('button', { name: 'Interrupt' }).press('Enter');
        assert.equal(await it.page.evaluate(() => document.activeElement.id), 'turn');
        await it.page.keyboard.press('Enter');
        await it.speaks(2);
        assert.equal(await it.page.evaluate(() => document.activeElement.id), 'turn');
        await it.close();
    });
});

describe('with a screen reader', () => {
    test('the language is known, and no id is there twice', async () => {
        const it = await running.open();
        await it.status('Connected to talk');
        assert.equal(await it.page.evaluate(() => document.documentElement.lang), 'en');
        assert.equal(
            await it.page.evaluate(
                () =>
                    new Set([...document.querySelectorAll('[id]')].map(({ id }) => id)).size ===
                    document.querySelectorAll('[id]').length,
            ),
            true,
        );
        await it.close();
    });

    test('it is told who said what, what was not heard, and how the connection is', async () => {
        const it = await running.open();
        await it.status('Connected to talk');
        await it.say('Hello!');
        await it.speaks(1);
        await it.page.keyboard.press('Escape');
        await it.frame('page', 'end');
        assert.deepEqual(await it.texts('#bubbles li'), [
            'YouHello!',
            'Bot (not heard:) Hello.',
        ]);
        assert.equal(await it.page.locator('[role=status]').textContent(), 'Connected to talk');
        await it.close();
    });
});

describe('colours', () => {
    const pairs = [
        ['.user .text', '.user .text'],
        ['.bot .heard', '.bot .text'],
        ['.unheard', '.bot .text'],
        ['#status', 'header'],
        ['#send', '#send'],
        ['#turn', '#turn'],
        ['#listen', '#listen'],
        ['.who', 'body'],
        ['#now', '#composer'],
        ['.hint', '#composer'],
        ['.lanes li', '.panel'],
        ['#figures dt', '.panel'],
    ];
    for (const colorScheme of ['light', 'dark'])
        test(`${colorScheme}: all text stands out from its ground`, async () => {
            const it = await talkedWith({ colorScheme });
            for (const [text, ground] of pairs) {
                const ratio = await it.page.evaluate(contrast, { text, ground });
                assert.ok(ratio >= 4.5, `${text}: ${ratio.toFixed(2)}`);
            }
            await it.close();
        });

    test('nothing moves for who wants it calm', async () => {
        const it = await talkedWith({ reducedMotion: 'reduce' });
        assert.equal(await it.page.evaluate(() => document.getAnimations().length), 0);
        await it.close();
    });
});
