// Shows the conversation: heard text is plain, unheard text is dimmed.

import { wordsOf } from './functions.js';

function element(name, className, text = '') {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
}

/** The part of `text` that a listener knows after hearing `chars` characters of its `speech`. */
export function heardPart(text, speech, chars) {
    const all = [...speech].length;
    if (chars >= all) return text;
    if (chars === 0) return '';
    const spoken = [...speech].slice(0, chars).join('');
    const at = text.indexOf(speech);
    const part =
        at < 0
            ? [...text].slice(0, ([...text].length * chars) / all).join('')
            : text.slice(0, at) + spoken;
    // Whole words only; the space after a word belongs to the next one.
    const isHalf = /\S$/.test(part) && /^\S/.test(text.slice(part.length));
    return (isHalf ? part.replace(/\S+$/, '') : part).trimEnd();
}

/** A chunk in its bubble. */
class Piece {
    #chunk;
    #heard = element('span', 'heard');
    #rest = element('span', 'coming');
    #note = element('span', 'hidden', ' (not heard:) ');
    // White space between words is not struck out.
    #gap = element('span', '');

    constructor(bubble, chunk) {
        this.#chunk = chunk;
        this.#rest.textContent = chunk.text;
        bubble.append(this.#heard, this.#rest);
    }

    get heardText() {
        return this.#heard.textContent;
    }

    /** chars: number of characters heard, from the start of the chunk's speech. */
    hear(chars) {
        const { text, speech } = this.#chunk;
        const part = heardPart(text, speech, chars);
        this.#heard.textContent = part;
        this.#rest.textContent = text.slice(part.length);
    }

    hearAll() {
        this.hear(Infinity);
    }

    /** The user will not hear the rest. */
    cut() {
        const rest = this.#rest.textContent;
        if (!rest) return;
        this.#gap.textContent = /^\s*/.exec(rest)[0];
        this.#rest.textContent = rest.trimStart();
        this.#rest.className = 'unheard';
        this.#rest.before(this.#note, this.#gap);
    }

    get hasRest() {
        return this.#rest.parentNode !== null && this.#rest.textContent.trim() !== '';
    }

    /** Removes the rest, because the bot will say it again. */
    dropRest() {
        for (const part of [this.#rest, this.#note, this.#gap]) part.remove();
    }
}

/** What the bot says in one turn: several replies if the turn was cut and resumed. */
class Bubble {
    #row;
    #text = element('p', 'text');
    #pieces = [];
    #endsWithFiller = false;

    constructor(row) {
        this.#row = row;
        row.append(element('span', 'who', 'Bot'), this.#text);
        this.#text.classList.add('is-thinking');
    }

    get heardText() {
        return this.#pieces.map((piece) => piece.heardText).join('');
    }

    /** Whether it has words that the user did not hear. */
    get hasRest() {
        return this.#pieces.some((piece) => piece.hasRest);
    }

    get endsWithFiller() {
        return this.#endsWithFiller;
    }

    add(chunk) {
        if (this.#pieces.length === 0) this.#text.replaceChildren();
        this.#text.classList.remove('is-thinking');
        const piece = new Piece(this.#text, this.#spaced(chunk));
        this.#endsWithFiller = Boolean(chunk.filler);
        this.#pieces.push(piece);
        return piece;
    }

    // The texts of a filler and of the chunks next to it have no space between them.
    #spaced(chunk) {
        const isNext = chunk.filler || this.#endsWithFiller;
        const isTight = /\S$/.test(this.#text.textContent) && /^\S/.test(chunk.text);
        return isNext && isTight ? { ...chunk, text: ` ${chunk.text}` } : chunk;
    }

    dropRest() {
        for (const piece of this.#pieces) piece.dropRest();
    }

    /** Call if the reply was cut before the bot said anything. */
    remove() {
        this.#row.remove();
    }

    /** Call when no more chunks will come. */
    end() {
        this.#text.classList.remove('is-thinking');
        if (this.#pieces.length === 0) this.#text.textContent = '…';
    }
}

/** A call of a function. */
class CallRow {
    #row;
    #name;
    #form = null;

    constructor(row, call) {
        this.#row = row;
        this.#name = call.name;
        row.append(element('p', 'text', `The bot calls ${wordsOf(call)}`));
    }

    /** Asks the user for the result. */
    ask(onResult) {
        const field = element('input', '');
        field.placeholder = 'Result';
        field.setAttribute('aria-label', `Result of ${this.#name}`);
        this.#form = element('form', '');
        this.#form.autocomplete = 'off';
        this.#form.append(field, element('button', '', 'Answer'));
        this.#form.addEventListener('submit', (event) => {
            event.preventDefault();
            onResult(field.value);
        });
        this.#row.append(this.#form);
    }

    /** words: the result of the call, or why there is none. */
    end(words) {
        this.#form?.remove();
        this.#row.append(element('p', 'text', `→ ${words}`));
    }
}

export class Bubbles {
    #list;
    #end;
    #told;
    // The row of the user's current speech.
    #partial = null;
    /** Whether screen readers announce the bot's words. */
    isRead = false;

    /** end: keeps the end in sight; told: the element that screen readers announce. */
    constructor({ list, end, told }) {
        this.#list = list;
        this.#end = end;
        this.#told = told;
    }

    user(text) {
        this.hearing('');
        this.#words('user', text);
        this.#end.go();
    }

    /** Shows what the user has said so far; empty if the speech is discarded. */
    hearing(text) {
        this.#partial?.remove();
        this.#partial = text ? this.#words('user is-partial', text) : null;
    }

    bot() {
        return new Bubble(this.#row('bot'));
    }

    call(call) {
        const row = new CallRow(this.#row('note called'), call);
        this.#told.textContent = `The bot calls ${call.name}.`;
        return row;
    }

    note(text, isFault = false) {
        this.#row(isFault ? 'note fault' : 'note').append(element('p', 'text', text));
        this.#told.textContent = text;
    }

    /** Announces what the bot says now. */
    tell(text) {
        if (this.isRead) this.#told.textContent = `Bot: ${text}`;
    }

    clear() {
        this.#list.replaceChildren();
        this.#partial = null;
    }

    #words(className, text) {
        const row = this.#row(className);
        row.append(element('span', 'who', 'You'), element('p', 'text', text));
        return row;
    }

    #row(className) {
        const row = element('li', className);
        this.#list.append(row);
        return row;
    }
}
