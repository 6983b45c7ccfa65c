// After a lost connection, the gateway sends again what it does not know to be heard.

/** The text that the consumer has, and that may come again from one of some places on. */
export class Repeat {
    #had = '';
    #starts = [];

    /** These chunks may come again, before the rest; isInside: from any of their words on. */
    prepend(texts, isInside) {
        const all = texts.join('');
        const ends = texts.map((_, i) => texts.slice(0, i + 1).join('').length);
        const words = isInside ? [...all.matchAll(/\s+/g)].map(({ index }) => index) : [];
        const from = this.#starts[0] ?? this.#had.length;
        const later = this.#starts.map((start) => all.length + start - from);
        this.#had = all + this.#had.slice(from);
        this.#starts = texts.length > 0 ? [0, ...ends, ...words, ...later] : later;
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

    /** Whether nothing can come again. */
    get isOver() {
        return this.#starts.length === 0 || this.#starts[0] === this.#had.length;
    }

    #goOn(start, text) {
        this.#starts = [this.#had.indexOf(text, start) + text.length];
        return '';
    }
}
