// Which part of a text comes again after a lost connection.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Repeat } from './node_modules/tandem-voice/repeat.js';

const newParts = (had, texts, isInside = false) => {
    const repeat = new Repeat();
    repeat.prepend(had, isInside);
    return texts.map((text) => repeat.newPartOf(text));
};

const rows = [
    ['nothing was had', [], ['Yes.', ' No.'], ['Yes.', ' No.']],
    ['white space alone', [], [' '], [' ']],
    ['all was had', ['Yes.', ' No.'], ['Yes.', ' No.', ' So?'], ['', '', ' So?']],
    ['it comes from the second chunk on', ['Yes.', ' No.'], ['No.', ' So?'], ['', ' So?']],
    ['it comes in one piece', ['Yes.', ' No.'], ['Yes. No. So?'], [' So?']],
    ['it comes in smaller pieces', ['Yes or no.'], ['Yes', ' or no.', ' So?'], ['', '', ' So?']],
    ['none of it comes', ['Yes.', ' No.'], ['So?'], ['So?']],
    ['other words come', ['Yes.'], ['Well, yes.', ' Yes.'], ['Well, yes.', ' Yes.']],
    ['its last words come by chance', ['I like you'], ['you see'], ['you see']],
    ['a part was heard', ['Yes or no.'], ['or no.', ' So?'], ['', ' So?'], true],
];

test('it comes again after a second loss, from any of the chunks on', () => {
    const repeat = new Repeat();
    repeat.prepend(['Yes.', ' No.', ' So?'], false);
    repeat.prepend([], false);
    const parts = ['No.', ' So?', ' Well.'].map((text) => repeat.newPartOf(text));
    assert.deepEqual(parts, ['', '', ' Well.']);
});

test('what came again may come once more', () => {
    const repeat = new Repeat();
    repeat.prepend(['Yes.', ' No.', ' So?'], false);
    assert.equal(repeat.newPartOf('Yes.'), '');
    repeat.prepend(['Yes.'], false);
    assert.deepEqual([' No.', ' So?'].map((text) => repeat.newPartOf(text)), ['', '']);
    assert.ok(repeat.isOver);
});

for (const [name, had, texts, expected, isInside] of rows)
    test(name, () => assert.deepEqual(newParts(had, texts, isInside), expected));
