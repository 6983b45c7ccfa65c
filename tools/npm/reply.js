// The chunks of a turn, in order, up to its end.

import { joinTexts } from './history.js';
import { VoiceError } from './voice_error.js';

const mostTries = 3;

// Marks a filler that repeats unheard words of an earlier reply.
const repeats = Symbol('repeats');
// The number of replies with calls before the chunk's words.
const round = Symbol('round');

// What the gateway writes for a missing result.
const noResult = 'No result: interrupted.';
const comesLater = 'The result comes later.';

const firstWords = (text, count) => text.trim().split(/\s+/).slice(0, count).join(' ');

/** Whether history has no text of the chunk. */
const isLeftOut = (chunk) => chunk.filler && !chunk[repeats];

/** The part of a speech that was heard according to a report, without a partial word. */
function heardPart(chunk, { chars, share = 0, words, said }) {
    if (isLeftOut(chunk)) return '';
    const { speech } = chunk;
    if (said !== undefined) return said;
    if (words !== undefined) return firstWords(speech, words);
    const all = [...speech];
    const count = chars ?? Math.round(share * all.length);
    const [part, rest] = [all.slice(0, count), all.slice(count)].map((piece) => piece.join(''));
    const isCut = /^\S*[\p{L}\p{N}]/u.test(rest) && /\S$/.test(part);
    return isCut && speech.includes(' ') ? part.replace(/\S+$/, '') : part;
}

const textOf = (chunk) => (isLeftOut(chunk) ? '' : chunk.text);

/**
 * heard: for each round, {text, reply}: the heard text, and the gateway's reply that contains the
 * end of that text.
 */
function addText(heard, at, text, reply) {
    if (!text) return heard;
    const last = heard[at];
    const isSame = !last || last.reply === reply;
    const joined = isSame ? (last?.text ?? '') + text : joinTexts(last.text, text);
    return Object.assign([...heard], { [at]: { text: joined, reply } });
}

const addChunk = (heard, chunk) =>
    addText(heard, chunk[round], textOf(chunk), chunk.filler ? null : chunk.reply);

const toolMessage = ({ id, name, result }) => ({
    role: 'tool',
    tool_call_id: id,
    name,
    content: result?.content ?? (result?.later ? comesLater : noResult),
});

/**
 * Iterates over chunks. Taking the next chunk reports that the previous chunk was spoken. With
 * lookahead, only calling spoken() of a chunk reports this.
 */
export class Reply {
    #handlers;
    // Untaken chunks: {chunk, sent}; sent: the reply's text up to the chunk's end.
    #queue = [];
    // The chunks that the consumer has taken, until they are spoken.
    #taken = [];
    #continues;
    // The text that the gateway's newest reply of the turn has sent.
    #sent = { reply: null, text: '' };
    #heard = [];
    // {reply, calls}: the gateway's replies that called functions.
    #rounds = [];
    #wake = () => {};
    #isOver = false;
    #error = null;
    #tries = 1;
    #isBegun = false;
    // After a lost connection, several ends may arrive; the last one ends the turn.
    #ends = 1;
    // Whether fillers repeat unheard words: no other fillers follow.
    #repeatsWords;
    /** The messages about calls of earlier sessions before the question. */
    late = [];
    /** The last `end` message: finish_reason, usage, metrics. Null before it, or if it was lost. */
    end = null;

    /**
     * message: the request. onTaken(id, sent): a chunk was taken; sent: the reply's text up to the
     * chunk's end. onSpoken(id): a chunk was spoken. onLeft(): the consumer left the loop.
     */
    constructor(message, handlers, lookahead) {
        this.message = message;
        this.#continues = !lookahead;
        this.#repeatsWords = message.type === 'resume';
        this.#handlers = handlers;
    }

    get turn() {
        return this.message.turn;
    }

    get isOver() {
        return this.#isOver;
    }

    /** The messages of the assistant and its tools, with the text that was or will be spoken. */
    get answer() {
        const heard = this.#taken.reduce(addChunk, this.#heard);
        return [...this.#rounds, null].flatMap((called, at) => {
            const said = { role: 'assistant', content: heard[at]?.text ?? '' };
            if (!called) return said.content.trim() ? [said] : [];
            const calls = called.calls.map(({ result, ...call }) => call);
            return [{ ...said, tool_calls: calls }, ...called.calls.map(toolMessage)];
        });
    }

    /** Whether the gateway has answered with a chunk or a call. */
    get isBegun() {
        return this.#isBegun;
    }

    get isRefused() {
        return this.#error !== null && !this.#isBegun;
    }

    async *[Symbol.asyncIterator]() {
        try {
            for (;;) {
                if (this.#continues) this.#spoken(this.#taken.at(-1));
                const chunk = await this.#next();
                if (!chunk) return;
                yield chunk;
            }
        } finally {
            if (!this.#isOver) this.#handlers.onLeft();
        }
    }

    async #next() {
        while (this.#queue.length === 0 && !this.#isOver)
            await new Promise((wake) => (this.#wake = wake));
        if (this.#error) throw this.#error;
        if (this.#queue.length === 0) return undefined;
        const { chunk, sent } = this.#queue.shift();
        this.#taken.push(chunk);
        this.#handlers.onTaken(chunk.id, sent);
        return chunk;
    }

    take(message) {
        if (this.#isOver) return;
        this.begin();
        if (message.reply !== this.#sent.reply) this.#sent = { reply: message.reply, text: '' };
        this.#sent.text += textOf(message);
        const chunk = { ...message, spoken: () => this.#spoken(chunk) };
        if (this.#repeatsWords) chunk[repeats] = true;
        chunk[round] = this.#roundOf(chunk);
        this.#queue.push({ chunk, sent: this.#sent.text });
        this.#wake();
    }

    /** Returns the call, which takes its last message with a result as `result`. */
    takeCall({ reply, id, name, arguments: given }) {
        this.begin();
        const call = { id, name, arguments: given };
        const last = this.#rounds.at(-1);
        if (last?.reply === reply) last.calls.push(call);
        else this.#rounds.push({ reply, calls: [call] });
        return call;
    }

    // Repeated words precede the last calls.
    #roundOf(chunk) {
        const count = this.#rounds.length;
        const isBefore = chunk.filler || this.#rounds.at(-1)?.reply === chunk.reply;
        return isBefore && count > 0 ? count - 1 : count;
    }

    begin() {
        this.#isBegun = true;
    }

    /** Returns false for an `end` after which the turn continues. */
    takeEnd(end) {
        if (!this.#isOver && (this.takeEarlyEnd() || end.finish_reason === 'tool_calls')) {
            this.begin();
            return false;
        }
        this.#finish(end);
        return true;
    }

    /** Returns whether another end follows this one. */
    takeEarlyEnd() {
        if (this.#ends === 1) return false;
        this.#ends -= 1;
        return true;
    }

    fail(error) {
        if (this.#isOver) return;
        this.#error = error;
        this.#stop(this.#taken.reduce(addChunk, this.#heard));
    }

    /** The user interrupts the reply; heard: how much of the current chunk was heard. */
    interrupt(heard) {
        if (this.#isOver) return;
        const at = this.#taken.findIndex(({ id }) => id === heard?.chunk);
        const before = this.#taken.slice(0, Math.max(at, 0)).reduce(addChunk, this.#heard);
        const part = at < 0 ? '' : heardPart(this.#taken[at], heard).trim();
        this.#stop(addText(before, this.#taken[at]?.[round], part));
    }

    /** The connection is lost. Chunks that were not taken will arrive again. */
    lose() {
        if (!this.#isOver) this.#queue = [];
    }

    /** After a reconnect, `ends` ends of the turn will arrive. True if the request was lost. */
    isLost(ends) {
        this.#ends = Math.max(1, ends);
        this.#repeatsWords ||= this.#isBegun;
        if (ends > 0) return false;
        if (this.#isBegun) this.#finish(null);
        else if (++this.#tries > mostTries)
            this.fail(new VoiceError('connection_lost', `The request was lost ${mostTries} times`));
        return !this.#isOver;
    }

    #finish(end) {
        this.end = end;
        if (end?.finish_reason === 'interrupted') this.#queue = [];
        this.#over();
    }

    #stop(heard) {
        this.#heard = heard;
        this.#taken = [];
        this.#queue = [];
        this.#over();
    }

    #over() {
        this.#isOver = true;
        this.#wake();
    }

    #spoken(chunk) {
        const at = this.#taken.indexOf(chunk);
        if (at < 0) return;
        this.#heard = this.#taken.splice(0, at + 1).reduce(addChunk, this.#heard);
        this.#handlers.onSpoken(chunk.id);
    }
}
