// The preparation of the gateway while the user speaks: it evaluates the words so far, and drafts
// the reply to words that are probably complete.

import { wordsOf } from './echo.js';

const key = (text) => wordsOf(text).join(' ');

export class Draft {
    #socket;
    // Of the draft; null without one.
    #words = null;

    constructor(socket) {
        this.#socket = socket;
    }

    /** The user has said this so far. Other words than the draft's are the sign of going on. */
    hear(text) {
        if (this.#words !== null && this.#words !== key(text)) this.drop();
        this.#socket.send({ type: 'hearing', text });
    }

    /** The user has probably said all. */
    begin({ turn, text, options }) {
        if (this.#words === key(text)) return;
        this.#words = key(text);
        this.#socket.send({ type: 'draft', turn, text, options });
    }

    drop() {
        if (this.#words !== null) this.#socket.send({ type: 'drop' });
        this.#words = null;
    }

    /** A turn continues from it, or the gateway drops it. */
    end() {
        this.#words = null;
    }
}
