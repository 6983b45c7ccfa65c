// The figures of the last reply, from its `end` message.

const ms = (value) => (value === undefined ? null : `${Math.round(value)} ms`);
const tokens = (count) => (count ? `${count} tokens` : null);
const share = (part, whole) => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : null);

function rowsOf({ usage: u, metrics: m }) {
    return [
        ['First chunk', ms(m.first_chunk_ms)],
        ['From the end of your words', ms(m.voice_to_voice_ms?.total)],
        ['Longest silence', m.chunks > 1 ? ms(m.longest_gap_ms) : null],
        ['Chunks', `${m.chunks} in ${m.requests} request${m.requests === 1 ? '' : 's'}`],
        ['Slot', m.slot < 0 ? null : `${m.slot}${m.slot_reused ? ', again' : ''}`],
        ['Prompts of all requests', `${u.prompt} tokens`],
        [
            'From the cache',
            `${u.cached} tokens${u.cached ? ` (${share(u.cached, u.cached + u.evaluated)})` : ''}`,
        ],
        ['Warmed', m.warmings ? `${u.warmed} tokens in ${m.warmings}` : null],
        ['Guard waits', m.guard_waits ? `${m.guard_waits}, ${ms(m.guard_wait_ms)}` : null],
        ['Waited for a slot', m.slot_wait_ms > 0.5 ? ms(m.slot_wait_ms) : null],
        ['Generated', `${u.generated} tokens, ${u.heard} heard`],
        [
            'Drafted while you paused',
            u.drafted ? `${u.drafted} tokens in ${ms(m.draft_ms)}` : null,
        ],
        ['Of dropped drafts', tokens(u.draft_wasted)],
        ['Evaluated while you spoke', tokens(u.prefilled)],
        ['Cut to idle', ms(m.cancel_to_idle_ms)],
    ].filter(([, value]) => value !== null);
}

/** Puts them into a list of descriptions. */
export function showFigures(list, end) {
    if (!end.metrics) return;
    const rows = rowsOf(end).map(([name, value]) => {
        const row = document.createElement('div');
        const term = document.createElement('dt');
        const description = document.createElement('dd');
        term.textContent = name;
        description.textContent = value;
        row.append(term, description);
        return row;
    });
    list.replaceChildren(...rows);
}
