// After a lost connection, the gateway sends again what it does not know to be heard.

/** The text of chunks that the consumer has, and that may come again from one of them on. */
export class Repeat {
    #had;
    #starts;

    /** isInside: whether it may come again from a word inside a chunk on. */
    constructor(texts, isInside) {
        this.#had = texts.join('');
        this.#starts = [0];
        for (const text of texts) this.#starts.push(this.#starts.at(-1) + text.length);
        if (isInside)
            for (const { index } of this.#had.matchAll(/\s+/g)) this.#starts.push(index);
    }

    /** The part of the next chunk's text that the consumer does not have. */
    newPartOf(text) {
        const wanted = text.trim();
        for (const start of this.#starts) {
            const had = this.#had.slice(start).trim();
            if (!had) continue;
            if (had.startsWith(wanted)) return this.#goOn(start, wanted);
            if (!wanted.startsWith(had)) continue;
            this.#goOn(start, had);
            return text.slice(text.indexOf(had) + had.length);
        }
        this.#starts = [];
        return text;
    }

    /** What may still come again. */
    get rest() {
        return this.#starts.length > 0 ? this.#had.slice(this.#starts[0]) : '';
    }

    #goOn(start, text) {
        this.#starts = [this.#had.indexOf(text, start) + text.length];
        return '';
    }
}
