// The chunks of a turn, in order, up to its end.

import { joinTexts } from './history.js';
import { VoiceError } from './voice_error.js';

const mostTries = 3;

// Marks a filler that repeats unheard words of an earlier reply.
const repeats = Symbol('repeats');

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

/** {text, reply}: the heard text, and the gateway's reply that contains the end of that text. */
function addChunk(heard, chunk) {
    const text = textOf(chunk);
    if (!text) return heard;
    const isSame = heard.text === '' || heard.reply === chunk.reply;
    const reply = chunk.filler ? null : chunk.reply;
    return { text: isSame ? heard.text + text : joinTexts(heard.text, text), reply };
}

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
    #heard = { text: '', reply: null };
    #wake = () => {};
    #isOver = false;
    #error = null;
    #tries = 1;
    #isBegun = false;
    // After a lost connection, several ends may arrive; the last one ends the turn.
    #ends = 1;
    // Whether fillers repeat unheard words: no other fillers follow.
    #repeatsWords;
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

    /** The text that was or will be spoken. */
    get heardText() {
        return this.#taken.reduce(addChunk, this.#heard).text;
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
        this.#queue.push({ chunk, sent: this.#sent.text });
        this.#wake();
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
        this.#stop(this.heardText);
    }

    /** The user interrupts the reply; heard: how much of the current chunk was heard. */
    interrupt(heard) {
        if (this.#isOver) return;
        const at = this.#taken.findIndex(({ id }) => id === heard?.chunk);
        const { text } = this.#taken.slice(0, Math.max(at, 0)).reduce(addChunk, this.#heard);
        this.#stop(at < 0 ? text : joinTexts(text, heardPart(this.#taken[at], heard)));
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

    #stop(text) {
        this.#heard = { text, reply: null };
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
