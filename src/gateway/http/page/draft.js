// How the gateway prepares while the user speaks: it evaluates the words so far, and drafts the
// reply to words that are probably complete.

import { wordsOf } from './echo.js';

const key = (text) => wordsOf(text).join(' ');

export class Draft {
    #socket;
    // The words of the draft; null without one.
    #words = null;

    constructor(socket) {
        this.#socket = socket;
    }

    /** The user has said this so far. New words mean that the draft is outdated. */
    hear(text) {
        if (this.#words !== null && this.#words !== key(text)) this.drop();
        this.#socket.send({ type: 'hearing', text });
    }

    /** The user has probably finished speaking. */
    begin({ turn, text, options }) {
        if (this.#words === key(text)) return;
        this.#words = key(text);
        this.#socket.send({ type: 'draft', turn, text, options });
    }

    drop() {
        if (this.#words !== null) this.#socket.send({ type: 'drop' });
        this.#words = null;
    }

    /** Forgets the draft: a turn continues from it, or the gateway drops it. */
    end() {
        this.#words = null;
    }
}
