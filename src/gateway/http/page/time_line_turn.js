// The events of one reply as bars on lanes. Times are in ms of the page's clock. Pure.
//
// While the reply runs, bars are estimated from chunks and speech. The server's events arrive with
// the `end` and replace the estimates.

import { wordsOf } from './functions.js';

const ends = new Set(['cut', 'lost', 'end', 'request', 'warming', 'slot_wait']);

// A slot that is granted immediately causes no wait.
const leastWaitMs = 1;

export const slotLane = (event) => `slot:${event.server ?? 0}:${event.slot}`;

const bar = (lane, kind, from, to, words) => ({ lane, kind, from, to, words });

export class TimeLineTurn {
    began;
    over = null;
    #waitsFrom;
    #gaps = [];
    #chunks = [];
    #speeches = [];
    #calls = [];
    #events = [];
    #cutAt = null;

    constructor(now) {
        this.began = now;
        this.#waitsFrom = now;
    }

    chunk(message, now) {
        this.#chunks.push({ ...message, at: now, from: this.#waitsFrom ?? now });
        if (this.#waitsFrom !== null) this.#gaps.push({ from: this.#waitsFrom, to: now });
        this.#waitsFrom = null;
    }

    speechBegan(chunk, now) {
        this.#speeches.push({
            id: chunk.id,
            words: chunk.speech,
            from: now,
            to: null,
            isCut: false,
        });
    }

    speechEnded(now) {
        this.#endSpeech(now, false);
        this.#waitsFrom = now;
    }

    interrupted(now) {
        this.#endSpeech(now, true);
        this.#waitsFrom = null;
        this.#cutAt ??= now;
    }

    called(message, now) {
        this.#calls.push({ id: message.id, words: wordsOf(message), from: now, to: null });
    }

    answered(id, result, now) {
        const call = this.#calls.find((open) => open.id === id);
        call.to = Math.min(now, this.over ?? now);
        call.words += ` → ${result}`;
    }

    /** The reply has ended. Converts the events in `message`, if any, to the page's clock. */
    ended(message, now) {
        this.close(now);
        const chunks = new Map(this.#chunks.map((chunk) => [chunk.seq, chunk.at]));
        const events = message.timeline ?? [];
        const lags = events
            .filter((event) => event.what === 'chunk' && chunks.has(event.chunk))
            .map((event) => chunks.get(event.chunk) - event.at_ms);
        const offset = lags.length > 0 ? Math.min(...lags) : this.began;
        this.#events = events.map((event) => ({ ...event, at: offset + event.at_ms }));
    }

    close(now) {
        this.#endSpeech(now, true);
        this.#waitsFrom = null;
        this.over ??= now;
    }

    /** All bars: {lane, kind, from, to, words, label}; `to` is `now` for unfinished ones. */
    bars(now) {
        return [
            ...this.#serverBars(),
            ...this.#cacheBars(),
            ...this.#chunkBars(now),
            ...this.#speechBars(now),
            ...this.#callBars(now),
        ];
    }

    #endSpeech(now, isCut) {
        const speech = this.#speeches.at(-1);
        if (speech && speech.to === null) Object.assign(speech, { to: now, isCut });
    }

    // --- requests, warming and waits

    #serverBars() {
        return this.#events.length > 0
            ? this.#knownBars()
            : this.#chunks.flatMap((chunk) => this.#guessedBars(chunk));
    }

    #guessedBars(chunk) {
        if (chunk.slot < 0 || chunk.from === chunk.at) return [];
        const begun = Math.min(chunk.from + chunk.guard_wait_ms, chunk.at);
        const words = `slot ${chunk.slot}, for chunk ${chunk.id}`;
        const request = bar(slotLane(chunk), 'generate', begun, chunk.at, words);
        if (begun === chunk.from) return [request];
        return [bar('wait', 'wait', chunk.from, begun, 'waiting for the reuse guard'), request];
    }

    #knownBars() {
        return this.#events.flatMap((event, i) => {
            const later = this.#events.slice(i + 1);
            if (event.what === 'slot_wait') return this.#waitBars(event, later);
            if (event.what === 'warming') return [this.#warmingBar(event, later)];
            if (event.what === 'request') return this.#requestBars(event, later);
            return [];
        });
    }

    #waitBars(event, later) {
        const to = later.find(({ what }) => what === 'request' || what === 'end')?.at ?? this.over;
        if (to - event.at < leastWaitMs) return [];
        const words = `${Math.round(to - event.at)} ms of waiting for a slot`;
        return [bar('wait', 'wait', event.at, to, words)];
    }

    #warmingBar(event, later) {
        const to = later.find(({ what }) => what === 'warmed' || ends.has(what))?.at ?? this.over;
        return bar(slotLane(event), 'warming', event.at, to, `slot ${event.slot} is warmed`);
    }

    #requestBars(event, later) {
        const at = later.findIndex(({ what }) => ends.has(what));
        const during = at < 0 ? later : later.slice(0, at);
        // The server ended the request when it sent its last text.
        const isCut = at >= 0 && (later[at].what === 'cut' || later[at].what === 'lost');
        const lastText = during.findLast(
            ({ what }) => what !== 'continued' && what !== 'warmed',
        )?.at;
        const to = isCut ? later[at].at : (lastText ?? later[at]?.at ?? this.over);
        const first = during.find(({ what }) => what === 'first_token')?.at ?? to;
        const lane = slotLane(event);
        return [
            bar(lane, 'prefill', event.at, first, `slot ${event.slot} reads the prompt`),
            bar(lane, 'generate', first, Math.max(to, first), `slot ${event.slot} generates`),
        ];
    }

    // --- the rest

    #cacheBars() {
        return this.#chunks
            .filter(
                (chunk, i) =>
                    chunk.cached + chunk.evaluated > 0 &&
                    chunk.cached + chunk.evaluated !== this.#tokensOf(i - 1),
            )
            .map((chunk) => {
                const all = chunk.cached + chunk.evaluated;
                const words = `${chunk.cached} of ${all} tokens of the prompt were in the cache`;
                return {
                    ...bar('cache', 'cache', chunk.at, chunk.at, words),
                    share: chunk.cached / all,
                    label: `${Math.round((100 * chunk.cached) / all)} %`,
                };
            });
    }

    // Chunks of one request have the same figures.
    #tokensOf(i) {
        const chunk = this.#chunks[i];
        return chunk ? chunk.cached + chunk.evaluated : -1;
    }

    #chunkBars(now) {
        const gaps = this.#gaps.map(({ from, to }) =>
            bar('chunk', 'gap', from, to, `${Math.round(to - from)} ms of silence`),
        );
        if (this.#waitsFrom !== null)
            gaps.push(bar('chunk', 'gap', this.#waitsFrom, now, 'silence'));
        const marks = this.#chunks.map((chunk) => {
            const words = `chunk ${chunk.id}, ${chunk.tokens} tokens, ends at a ${chunk.boundary}: ${chunk.text.trim()}`;
            const mark = bar('chunk', 'chunk', chunk.at, chunk.at, words);
            return { ...mark, label: String(chunk.seq + 1) };
        });
        return [...gaps, ...marks];
    }

    #callBars(now) {
        return this.#calls.map(({ from, to, words }) =>
            bar('call', 'call', from, to ?? this.over ?? now, words),
        );
    }

    #speechBars(now) {
        const bars = this.#speeches.map(({ from, to, isCut, words }) => {
            const kind = isCut ? 'speech is-cut' : 'speech';
            return bar('speech', kind, from, to ?? now, `spoken: ${words}`);
        });
        const at = this.#cutAt;
        if (at !== null) bars.push(bar('speech', 'cut-off', at, at, 'interrupted'));
        return bars;
    }
}
