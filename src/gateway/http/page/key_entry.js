// Asks for the gateway's key, and keeps it until the tab closes.

const place = 'tandem-key';

// A browser may forbid storage.
function read() {
    try {
        return sessionStorage.getItem(place) ?? '';
    } catch {
        return '';
    }
}

function write(key) {
    try {
        sessionStorage.setItem(place, key);
    } catch {
        // The key then lasts until the page is closed.
    }
}

export class KeyEntry {
    #dialog;
    #field;
    #fault;
    #onKey;
    #key = read();

    constructor({ dialog, form, field, fault, onKey }) {
        this.#dialog = dialog;
        this.#field = field;
        this.#fault = fault;
        this.#onKey = onKey;
        form.addEventListener('submit', () => this.#take());
        // Without a key, the page cannot be used.
        dialog.addEventListener('cancel', (event) => event.preventDefault());
    }

    get kept() {
        return this.#key;
    }

    ask(why = '') {
        this.#keep('');
        this.#fault.textContent = why;
        if (why) this.#field.setAttribute('aria-invalid', 'true');
        if (!this.#dialog.open) this.#dialog.showModal();
        this.#field.focus();
        this.#field.select();
    }

    #take() {
        const key = this.#field.value.trim();
        this.#field.value = '';
        this.#keep(key);
        this.#onKey(key);
    }

    #keep(key) {
        this.#key = key;
        write(key);
    }
}
