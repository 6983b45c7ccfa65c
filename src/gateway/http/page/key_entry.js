// Asks for the gateway's key, and keeps it until the tab closes.

const place = 'tandem-key';

export class KeyEntry {
    #dialog;
    #field;
    #fault;
    #onKey;

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
        return sessionStorage.getItem(place) ?? '';
    }

    ask(why = '') {
        sessionStorage.removeItem(place);
        this.#fault.textContent = why;
        if (why) this.#field.setAttribute('aria-invalid', 'true');
        if (!this.#dialog.open) this.#dialog.showModal();
        this.#field.focus();
        this.#field.select();
    }

    #take() {
        const key = this.#field.value.trim();
        this.#field.value = '';
        sessionStorage.setItem(place, key);
        this.#onKey(key);
    }
}
