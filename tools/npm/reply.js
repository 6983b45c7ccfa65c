// The chunks of a turn, in order, up to its end.

import { joinTexts } from './history.js';
import { VoiceError } from './voice_error.js';

const mostTries = 3;

const firstWords = (text, count) => text.trim().split(/\s+/).slice(0, count).join(' ');

/** What a report says that was heard of a speech, without a word that is cut. */
function heardPart({ filler, speech }, { chars, share = 0, words, said }) {
    if (filler) return '';
    if (said !== undefined) return said;
    if (words !== undefined) return firstWords(speech, words);
    const all = [...speech];
    const count = chars ?? Math.round(share * all.length);
    const [part, rest] = [all.slice(0, count), all.slice(count)].map((piece) => piece.join(''));
    const isCut = /^\S*[\p{L}\p{N}]/u.test(rest) && /\S$/.test(part);
    return isCut && speech.includes(' ') ? part.replace(/\S+$/, '') : part;
}

const textOf = ({ filler, text }) => (filler ? '' : text);

/** {text, reply}: what was heard, and the gateway's reply that has its end. */
function addChunk(heard, chunk) {
    const text = textOf(chunk);
    if (!text) return heard;
    const isSame = heard.text === '' || heard.reply === chunk.reply;
    return { text: isSame ? heard.text + text : joinTexts(heard.text, text), reply: chunk.reply };
}

/**
 * Iterate over it. Taking the next chunk says that the one before was spoken; with lookahead, only
 * spoken() of a chunk does.
 */
export class Reply {
    #handlers;
    // {chunk, sent} that the consumer has not taken; sent: the text of its reply to its end.
    #queue = [];
    // The chunks that the consumer has taken, until they were spoken.
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
    /** The last message: finish_reason, usage, metrics. Null until then, or if it was lost. */
    end = null;

    /**
     * message: its request; onTaken(id, sent): of a chunk, with the text of its reply to its end;
     * onSpoken(id): of a chunk; onLeft(): of the loop.
     */
    constructor(message, handlers, lookahead) {
        this.message = message;
        this.#continues = !lookahead;
        this.#handlers = handlers;
    }

    get turn() {
        return this.message.turn;
    }

    get isOver() {
        return this.#isOver;
    }

    /** The text that was spoken, or will be. */
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
        this.#queue.push({ chunk, sent: this.#sent.text });
        this.#wake();
    }

    begin() {
        this.#isBegun = true;
    }

    /** False for an `end` after which the turn goes on. */
    takeEnd(end) {
        if (!this.#isOver && (this.takeEarlyEnd() || end.finish_reason === 'tool_calls')) {
            this.begin();
            return false;
        }
        this.#finish(end);
        return true;
    }

    /** Whether another end follows this one. */
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

    /** The user talks over it; heard: how much of the chunk that is spoken. */
    interrupt(heard) {
        if (this.#isOver) return;
        const at = this.#taken.findIndex(({ id }) => id === heard?.chunk);
        const { text } = this.#taken.slice(0, Math.max(at, 0)).reduce(addChunk, this.#heard);
        this.#stop(at < 0 ? text : joinTexts(text, heardPart(this.#taken[at], heard)));
    }

    /** The connection is lost: what was not taken comes again. */
    lose() {
        if (!this.#isOver) this.#queue = [];
    }

    /** There is a connection again, on which so many ends of the turn come. True if it gets lost. */
    isLost(ends) {
        this.#ends = Math.max(1, ends);
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
