// What the page sends while the user speaks. Only speech synthesis and recognition are fakes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runForAllTests } from './page_fixture.js';

const running = runForAllTests();

/** A page that listens, after a first turn. */
async function listening() {
    const it = await running.open({ speech: { mode: 'flowing' } });
    await it.status('Connected to talk');
    await it.say('Hello!');
    await it.frame('page', 'end');
    await it.page.getByRole('button', { name: 'Microphone' }).click();
    await it.now('Listening');
    return it;
}

const hear = (it, text, isFinal = false) =>
    it.page.evaluate((args) => fake.hear(...args), [text, isFinal]);

/** What the page has sent since it began to listen. */
const sent = (it) =>
    it.frames
        .filter(({ to, type }) => to === 'gateway' && /hearing|draft|drop|commit/.test(type))
        .map(({ type, text }) => (text ? `${type} ${text}` : type));

/** The gateway does not report when it has generated a draft, which takes about 20 ms. */
const generated = (it) => it.page.waitForTimeout(500);

test('a pause drafts the reply, which the final text commits', async () => {
    const it = await listening();
    await hear(it, 'do you have');
    await hear(it, 'Do you have a table?');
    const draft = await it.frame('gateway', 'draft');
    await generated(it);
    await hear(it, 'do you have a table', true);
    await it.page.locator('.bot .text', { hasText: 'How many of you are coming?' }).waitFor();
    assert.deepEqual(sent(it), [
        'hearing do you have',
        'hearing Do you have a table?',
        'draft Do you have a table?',
        'commit do you have a table',
    ]);
    const commit = await it.frame('gateway', 'commit');
    assert.deepEqual([draft.turn, draft.options], [commit.turn, commit.options]);
    assert.ok((await it.frame('page', 'end', 2)).usage.drafted > 0);
    const figures = await it.texts('#figures div');
    const has = (pattern) => assert.ok(figures.some((row) => pattern.test(row)), figures);
    has(/^Drafted while you paused\d+ tokens in \d+ ms$/);
    has(/^Evaluated while you spoke\d+ tokens$/);
    await it.close();
});

test('words that go on drop the draft', async () => {
    const it = await listening();
    await hear(it, 'do you');
    await it.frame('gateway', 'draft');
    await generated(it);
    await hear(it, 'Do you');
    await hear(it, 'do you have a table');
    await it.frame('gateway', 'draft', 2);
    await hear(it, 'Do you have a table?', true);
    const { usage } = await it.frame('page', 'end', 2);
    assert.deepEqual(sent(it), [
        'hearing do you',
        'draft do you',
        'hearing Do you',
        'drop',
        'hearing do you have a table',
        'draft do you have a table',
        'commit Do you have a table?',
    ]);
    assert.ok(usage.draft_wasted > 0);
    assert.ok((await it.texts('#figures dt')).includes('Of dropped drafts'));
    await it.close();
});

test('the microphone that is switched off drops the draft', async () => {
    const it = await listening();
    await hear(it, 'do you have a table');
    await it.frame('gateway', 'draft');
    await it.page.getByRole('button', { name: 'Microphone' }).click();
    await it.frame('gateway', 'drop');
    await it.close();
});

test('a pause after the last words of a turn drafts nothing', async () => {
    const it = await listening();
    await it.page.evaluate(() => {
        fake.hear('do you have a table', false);
        fake.hear('Do you have a table?', true);
    });
    await it.frame('page', 'end', 2);
    await it.page.waitForTimeout(400);
    assert.deepEqual(sent(it), ['hearing do you have a table', 'commit Do you have a table?']);
    await it.close();
});

test('parts of what is not final are one text', async () => {
    const it = await listening();
    await it.page.evaluate(() => fake.hearParts(['do you have', ' a table']));
    await it.frame('gateway', 'hearing');
    assert.deepEqual(sent(it), ['hearing do you have a table']);
    await it.close();
});
