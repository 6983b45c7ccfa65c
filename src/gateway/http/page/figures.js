// The figures of a reply, from its `end` message. A figure with parts is the sum of its parts.

const silenceParts = {
    detector: 'Detecting the pause',
    before_start: 'Recognizing your words',
    turn_wait: 'Ending the reply before',
    slot_wait: 'Waiting for a slot',
    first_token: 'Reading the prompt',
    first_chunk: 'Generating the chunk',
};

const ms = (value) => (value === undefined ? null : `${Math.round(value)} ms`);
const counted = (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'}`;
const countTokens = (count) => counted(count, 'token');

/** Rounds the values so that their sum is the rounded sum. */
export function roundTogether(values) {
    const whole = values.map(Math.floor);
    const sum = (all) => all.reduce((one, other) => one + other, 0);
    const left = Math.round(sum(values)) - sum(whole);
    const rest = (i) => values[i] - whole[i];
    const byRest = [...values.keys()].sort((a, b) => rest(b) - rest(a));
    for (const i of byRest.slice(0, left)) ++whole[i];
    return whole;
}

/** A row for the sum, and one for each part that is not zero. */
function addUp(name, say, parts) {
    const whole = roundTogether(Object.values(parts));
    const total = whole.reduce((one, other) => one + other, 0);
    const rows = Object.keys(parts).map((part, i) => [part, say(whole[i]), true]);
    return [[name, say(total)], ...rows.filter((_, i) => whole[i] > 0)];
}

function silenceRows({ voice_to_voice_ms: all, first_chunk_ms: first }) {
    if (!all) return [['First chunk', ms(first)]];
    const parts = Object.entries(silenceParts).map(([part, name]) => [name, all[part]]);
    return addUp('First chunk after your words', ms, Object.fromEntries(parts));
}

function rowsOf({ usage: u, metrics: m }) {
    return [
        ...silenceRows(m),
        ['Longest silence', m.chunks > 1 ? ms(m.longest_gap_ms) : null],
        ...addUp(m.requests > 1 ? 'Prompts' : 'Prompt', countTokens, {
            'From the cache': u.cached,
            Evaluated: u.evaluated,
        }),
        ...addUp('Generated', countTokens, {
            Heard: u.heard,
            'Sent, but not heard': u.handed_over - u.heard,
            'Not sent': u.generated - u.handed_over,
        }),
        ['Chunks', `${m.chunks} in ${counted(m.requests, 'request')}`],
        ['Slot', m.slot < 0 ? null : `${m.slot}${m.slot_reused ? ', again' : ''}`],
        ['Warmed', m.warmings ? `${countTokens(u.warmed)} in ${m.warmings}` : null],
        ['Guard waits', m.guard_waits ? `${m.guard_waits}, ${ms(m.guard_wait_ms)}` : null],
        [
            'Waits of all requests',
            m.requests > 1 && m.slot_wait_ms > 0.5 ? ms(m.slot_wait_ms) : null,
        ],
        [
            'Drafted while you paused',
            u.drafted ? `${countTokens(u.drafted)} in ${ms(m.draft_ms)}` : null,
        ],
        ['Of dropped drafts', u.draft_wasted ? countTokens(u.draft_wasted) : null],
        ['Evaluated while you spoke', u.prefilled ? countTokens(u.prefilled) : null],
        ['Cut to idle', ms(m.cancel_to_idle_ms)],
    ].filter(([, value]) => value !== null);
}

function element(name, text, ...children) {
    const made = document.createElement(name);
    made.textContent = text;
    made.append(...children);
    return made;
}

function rowOf([name, value, isPart = false]) {
    const row = element('div', '', element('dt', name), element('dd', value));
    row.classList.toggle('part', isPart);
    return row;
}

export class Figures {
    #place;

    constructor(place) {
        this.#place = place;
    }

    clear() {
        this.#place.replaceChildren();
    }

    /** Shows the figures of one reply; the timeline uses the same `number`. */
    show(number, end) {
        if (!end.metrics) return;
        const list = element('dl', '', ...rowsOf(end).map(rowOf));
        this.#place.replaceChildren(element('h3', `Figures of reply ${number}`), list);
    }
}
