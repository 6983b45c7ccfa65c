// The page as a screen reader sees it: the accessibility tree of the browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runForAllTests } from './page_fixture.js';

const running = runForAllTests();

/** The nodes that are read out: {role, name, and their properties}. */
async function tree(page) {
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes
        .filter(({ ignored }) => !ignored)
        .map(({ role, name, properties = [] }) => ({
            role: role.value,
            name: name?.value ?? '',
            ...Object.fromEntries(properties.map((one) => [one.name, one.value.value])),
        }));
}

const named = ['button', 'textbox', 'combobox', 'checkbox', 'dialog', 'log', 'region', 'group', 'image'];
const isWithoutName = ({ role, name, focusable }) =>
    (named.includes(role) || (focusable && role !== 'RootWebArea')) && !name;

const namesOf = (nodes, role) => nodes.filter((node) => node.role === role).map(({ name }) => name);

/** A page whose bot calls a function that the user answers. */
async function called() {
    const it = await running.open();
    await it.status('Connected to talk');
    await it.settings((drawer) => drawer.getByLabel('book_table').check());
    await it.say('Book a table for four.');
    await it.speaks(1);
    await it.page.getByLabel('Result of book_table').waitFor();
    return it;
}

test('each control has a role and a name', async () => {
    const it = await called();
    const nodes = await tree(it.page);
    assert.deepEqual(nodes.filter(isWithoutName), []);
    assert.deepEqual(namesOf(nodes, 'button').sort(), [
        ...['Answer', 'Interrupt', 'Microphone', 'New', 'Send', 'Settings', 'Voice'],
    ]);
    assert.deepEqual(namesOf(nodes, 'textbox').sort(), ['Result of book_table', 'Your words']);
    assert.deepEqual(namesOf(nodes, 'log'), ['Conversation']);
    await it.close();
});

test('so has each one of the drawer', async () => {
    const it = await called();
    await it.page.getByRole('button', { name: 'Settings', exact: true }).click();
    const nodes = await tree(it.page);
    assert.deepEqual(nodes.filter(isWithoutName), []);
    assert.deepEqual(namesOf(nodes, 'dialog'), ['Settings']);
    assert.deepEqual(namesOf(nodes, 'button'), ['Close the settings']);
    assert.deepEqual(namesOf(nodes, 'textbox'), ['System prompt']);
    assert.deepEqual(namesOf(nodes, 'combobox'), [
        ...['Model', 'Pacing', 'Voice', 'Speed of the voice'],
    ]);
    assert.deepEqual(namesOf(nodes, 'group'), ['Tools that the model may call']);
    await it.close();
});

test('switches say whether they are on', async () => {
    const it = await running.open();
    await it.status('Connected to talk');
    const isPressed = async (name) =>
        (await tree(it.page)).find((node) => node.role === 'button' && node.name === name).pressed;
    assert.equal(await isPressed('Voice'), 'true');
    await it.page.getByRole('button', { name: 'Voice' }).click();
    assert.equal(await isPressed('Voice'), 'false');
    assert.equal(await isPressed('Microphone'), 'false');
    await it.close();
});

test('replies that the page does not speak are in a live region', async () => {
    const it = await running.open({ speech: { mode: 'flowing' } });
    await it.status('Connected to talk');
    await it.page.getByRole('button', { name: 'Voice' }).click();
    await it.say('Hello!');
    // The last chunk stays; earlier chunks are replaced within half a second.
    await it.page.locator('#told', { hasText: 'thank you.' }).waitFor();
    const told = (await tree(it.page)).filter(({ live }) => live === 'polite');
    assert.deepEqual(told.map(({ role }) => role).sort(), ['paragraph', 'status']);
    await it.close();
});
