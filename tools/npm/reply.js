// The chunks of a turn, in order, up to its end.

/** Iterate over it: the next chunk is asked for when the one before was spoken. */
export class Reply {
    #send;
    #chunks = [];
    #given = null;
    #wake = () => {};
    #isOver = false;
    #error = null;
    // Text that the consumer has, and that comes again after a lost connection.
    #repeated = '';
    // Text whose `continue` may not have arrived.
    #unsure = '';
    #isResumed = false;
    #hasText = false;
    /** The last `end` message, once it is here: finish_reason, usage, metrics. */
    end = null;

    constructor(turn, send) {
        this.turn = turn;
        this.#send = send;
    }

    get isOver() {
        return this.#isOver;
    }

    get hasText() {
        return this.#hasText;
    }

    async *[Symbol.asyncIterator]() {
        for (;;) {
            this.#spoken(this.#given);
            while (this.#chunks.length === 0 && !this.#isOver)
                await new Promise((wake) => (this.#wake = wake));
            if (this.#error) throw this.#error;
            if (this.#chunks.length === 0) return;
            const chunk = this.#chunks.shift();
            this.#given = chunk;
            if (chunk.isRepeated) continue;
            chunk.spoken = () => this.#spoken(chunk);
            yield chunk;
        }
    }

    take(chunk) {
        if (this.#isOver) return;
        this.#hasText = true;
        if (!chunk.early) this.#unsure = '';
        this.#chunks.push(this.#withoutRepeated(chunk));
        this.#wake();
    }

    /** An `end` after which nothing of the turn comes. */
    finish(end) {
        this.end = end;
        if (end.finish_reason === 'interrupted') this.#chunks = [];
        this.#isOver = true;
        this.#wake();
    }

    interrupt() {
        this.#chunks = [];
        this.#given = null;
        this.#isOver = true;
        this.#wake();
    }

    fail(error) {
        if (this.#isOver) return;
        this.#error = error;
        this.finish({ finish_reason: 'interrupted' });
    }

    /** The gateway sends again what it does not know to be heard. */
    lose() {
        const queued = this.#chunks.map(({ had }) => had).join('');
        this.#repeated = this.#unsure + (this.#given?.whole ?? '') + queued + this.#repeated;
        this.#unsure = '';
        this.#given = null;
        this.#chunks = [];
        this.#isResumed = true;
    }

    /** Of a resumption, the end of the part before it. */
    isEndBefore(end) {
        if (!this.#isResumed || end.finish_reason !== 'interrupted') return false;
        this.#isResumed = false;
        return true;
    }

    #spoken(chunk) {
        if (chunk === null || this.#given !== chunk) return;
        this.#given = null;
        this.#unsure += chunk.whole;
        this.#send({ type: 'continue', chunk: chunk.id });
    }

    // whole: the text as it came; had: its part that the consumer had before.
    #withoutRepeated(chunk) {
        const before = this.#repeated.trim();
        const text = chunk.text.trim();
        const all = { ...chunk, whole: chunk.text, had: '' };
        this.#repeated = '';
        if (!before || !text) return all;
        if (before.startsWith(text)) {
            this.#repeated = before.slice(text.length);
            return { ...all, had: chunk.text, isRepeated: true };
        }
        if (!text.startsWith(before)) return all;
        const at = chunk.text.indexOf(before) + before.length;
        const { speech } = chunk;
        const left = speech.startsWith(before) ? speech.slice(before.length).trim() : speech;
        return { ...all, had: chunk.text.slice(0, at), text: chunk.text.slice(at), speech: left };
    }
}
