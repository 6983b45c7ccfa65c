// The chunks of a turn, in order, up to its end.

import { Repeat } from './repeat.js';
import { VoiceError } from './voice_error.js';

const mostTries = 3;

const lengthOf = (text) => [...text].length;

/** Iterate over it: the next chunk is asked for when the one before was spoken. */
export class Reply {
    #send;
    #onLeft;
    // Chunks that the consumer has not taken.
    #queue = [];
    // The chunk that the consumer has taken, until it was spoken.
    #given = null;
    // Spoken chunks, which the gateway may not know to be spoken.
    #unsure = [];
    #isPartHeard = false;
    #repeat = new Repeat();
    #heard = '';
    #wake = () => {};
    #isOver = false;
    #error = null;
    // Nothing has come since the connection was lost.
    #isInDoubt = false;
    #endInDoubt = null;
    #tries = 1;
    #isBegun = false;
    // The chunk that the consumer was speaking when the connection was lost.
    #lost = null;
    /** The last message: finish_reason, usage, metrics. Null until then, or if it was lost. */
    end = null;

    /** message: its request; onLeft(): the consumer left the loop. */
    constructor(message, { send, onLeft }) {
        this.message = message;
        this.#send = send;
        this.#onLeft = onLeft;
    }

    get turn() {
        return this.message.turn;
    }

    get isOver() {
        return this.#isOver;
    }

    /** The text that was spoken. */
    get heardText() {
        return this.#heard;
    }

    /** Whether the gateway has answered with a chunk or a call. */
    get isBegun() {
        return this.#isBegun;
    }

    get isRefused() {
        return this.#error !== null && !this.#isBegun;
    }

    /** Whether the gateway may not know it or, if it is over, its interrupt. */
    get isInDoubt() {
        return this.#isInDoubt;
    }

    async *[Symbol.asyncIterator]() {
        try {
            for (;;) {
                this.#spoken(this.#given);
                const chunk = await this.#next();
                if (!chunk) return;
                yield chunk;
            }
        } finally {
            if (!this.#isOver) this.#onLeft();
        }
    }

    async #next() {
        for (;;) {
            while (this.#queue.length === 0 && !this.#isOver)
                await new Promise((wake) => (this.#wake = wake));
            if (this.#error) throw this.#error;
            const chunk = this.#queue.shift();
            if (!chunk) return undefined;
            this.#given = chunk;
            if (!chunk.isHad) return chunk.given;
            this.#spoken(chunk);
        }
    }

    take(message) {
        if (this.#isOver) return;
        this.goesOn();
        if (!message.early) this.#unsure = [];
        this.#queue.push(this.#chunkOf(message));
        this.#wake();
    }

    /** More of it will come. */
    goesOn() {
        this.#isInDoubt = false;
        this.#isBegun = true;
    }

    /** False for an `end` after which the turn goes on. */
    takeEnd(end) {
        if (this.#isOver) {
            this.end = end;
            return !this.#isInDoubt;
        }
        if (end.finish_reason === 'tool_calls') {
            this.goesOn();
            return false;
        }
        if (this.#isInDoubt && this.#mayGoOnAfter(end)) return false;
        this.#finish(end);
        return true;
    }

    fail(error) {
        if (this.#isOver) return;
        this.#error = error;
        this.#queue = [];
        this.#over();
    }

    /** The user talks over it; heard: how much of the chunk that is spoken. */
    interrupt(heard) {
        this.#isInDoubt = false;
        if (this.#isOver) return;
        if (this.#given && heard?.chunk === this.#given.message.id)
            this.#heard += this.#heardPart(this.#given.given.text, heard);
        this.#queue = [];
        this.#given = null;
        this.#over();
    }

    /** The consumer's place in a chunk, as a place in the gateway's. */
    placeOf(place) {
        const isOf = (chunk) => chunk?.message.id === place.chunk;
        if (isOf(this.#given)) return this.#placeIn(this.#given, place);
        const [again] = this.#queue;
        const textOf = ({ message }) => message.text.trim();
        const isAgain = again?.isHad && isOf(this.#lost) && textOf(again) === textOf(this.#lost);
        return isAgain ? { ...place, chunk: again.message.id } : place;
    }

    /** The connection is lost: all that is not surely heard comes again. */
    lose() {
        if (this.#isOver) return;
        const all = [...this.#unsure, this.#given, ...this.#queue];
        const texts = all
            .filter((chunk) => chunk && !chunk.message.filler)
            .map((chunk) => (this.#queue.includes(chunk) ? chunk.had : chunk.message.text));
        this.#repeat.prepend(texts, this.#isPartHeard);
        // The consumer speaks it to its end.
        if (this.#given) this.#heard += this.#given.given.text;
        this.#lost = this.#given ?? this.#lost;
        this.#unsure = [];
        this.#given = null;
        this.#queue = [];
        this.#isPartHeard = false;
    }

    /** There is a connection again. */
    doubt() {
        this.#isInDoubt = true;
    }

    /** Nothing has come for a while. True if the request was lost, and is to be sent again. */
    isUnknown() {
        if (!this.#isInDoubt || this.#isOver) return false;
        this.#isInDoubt = false;
        // All was heard, and the end may be lost.
        if (this.#isBegun || this.#endInDoubt) this.#finish(this.#endInDoubt);
        else if (++this.#tries > mostTries)
            this.fail(new VoiceError('connection_lost', `The request was lost ${mostTries} times`));
        return !this.#isOver;
    }

    #chunkOf(message) {
        const fresh = message.filler ? message.text : this.#repeat.newPartOf(message.text);
        const had = message.text.slice(0, message.text.length - fresh.length);
        const chunk = { message, had, isHad: had !== '' && fresh === '' };
        const speech = had ? fresh.trim() : message.speech;
        chunk.given = { ...message, text: fresh, speech, spoken: () => this.#spoken(chunk) };
        return chunk;
    }

    #placeIn(chunk, place) {
        this.#isPartHeard = true;
        const before = chunk.had.trimStart();
        if (!before) return place;
        const moved = { ...place };
        const left = lengthOf(chunk.given.speech);
        if ('chars' in place) moved.chars += lengthOf(before);
        if ('share' in place)
            moved.share = 1 - ((1 - place.share) * left) / (left + lengthOf(before));
        if ('words' in place) moved.words += before.trim().split(/\s+/).length;
        if ('said' in place) moved.said = `${before} ${place.said}`;
        return moved;
    }

    // The gateway goes on with what was interrupted by the lost connection.
    #mayGoOnAfter(end) {
        const isCut = end.finish_reason === 'interrupted';
        if (isCut && this.message.history === false) return false;
        if (!isCut && this.#repeat.isOver) return false;
        if (!isCut) this.#endInDoubt = end;
        this.#isInDoubt = !isCut;
        return true;
    }

    #finish(end) {
        this.end = end;
        if (end?.finish_reason === 'interrupted') this.#queue = [];
        this.#over();
    }

    #over() {
        this.#isOver = true;
        this.#isInDoubt = false;
        this.#wake();
    }

    #heardPart(text, { chars, share = 0 }) {
        const all = [...text.trim()];
        return all.slice(0, chars ?? Math.round(share * all.length)).join('');
    }

    #spoken(chunk) {
        if (chunk === null || this.#given !== chunk) return;
        this.#given = null;
        this.#unsure.push(chunk);
        if (!chunk.isHad && !chunk.message.filler) this.#heard += chunk.given.text;
        this.#send({ type: 'continue', chunk: chunk.message.id });
    }
}
