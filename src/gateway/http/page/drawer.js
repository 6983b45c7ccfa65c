// The drawer of settings.

function option(value, text) {
    const made = document.createElement('option');
    made.value = value;
    made.textContent = text;
    return made;
}

/** Offers the names, and also the chosen name if it is not among them. */
function offer(select, first, names, chosen) {
    const known = !chosen || names.includes(chosen) ? names : [...names, chosen];
    select.replaceChildren(option('', first), ...known.map((name) => option(name, name)));
    select.value = chosen;
}

export class Drawer {
    #dialog;
    #settings;
    #listModels;
    #listVoices;
    #handlers;
    #before = '';

    /**
     * listModels(): a promise of the models' names. listVoices(): the names of the voices.
     * onChange(): a setting has changed. onSession(): a setting that requires a new
     * session has changed.
     */
    constructor({ dialog, close, settings, listModels, listVoices, onChange, onSession }) {
        this.#dialog = dialog;
        this.#settings = settings;
        this.#listModels = listModels;
        this.#listVoices = listVoices;
        this.#handlers = { onChange, onSession };
        close.addEventListener('click', () => dialog.close());
        // The target of a click on the backdrop is the dialog itself.
        dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
        dialog.addEventListener('input', (event) => this.#take(event.target));
        dialog.addEventListener('close', () => this.#closed());
    }

    async open() {
        this.#before = this.#session();
        for (const field of this.#dialog.querySelectorAll('[name]')) this.#show(field);
        this.showVoices();
        this.#showModels([]);
        this.#dialog.showModal();
        this.#showModels(await this.#listModels());
    }

    /** Browsers load their voices late. */
    showVoices() {
        const select = this.#field('voice');
        const names = this.#listVoices();
        offer(select, 'The browser’s own', names, this.#settings.get('voice'));
        select.disabled = names.length === 0;
    }

    #showModels(names) {
        const select = this.#field('model');
        offer(select, 'As the gateway is set', names, this.#settings.get('model'));
    }

    #field(name) {
        return this.#dialog.querySelector(`[name=${name}]`);
    }

    #show(field) {
        const value = this.#settings.get(field.name);
        if (field.type === 'checkbox') field.checked = value.includes(field.value);
        else field.value = value;
    }

    #take(field) {
        const boxes = [...this.#dialog.querySelectorAll(`[name=${field.name}]:checked`)];
        const value = field.type === 'checkbox' ? boxes.map((box) => box.value) : field.value;
        this.#settings.set(field.name, value);
        this.#handlers.onChange();
    }

    #session() {
        return JSON.stringify(this.#settings.session);
    }

    #closed() {
        if (this.#session() !== this.#before) this.#handlers.onSession();
    }
}
