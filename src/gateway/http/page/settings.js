// The settings that the user chose, stored in this browser. They do not include the key.

import { functions } from './functions.js';

const place = 'tandem-settings';
const defaults = {
    prompt: '',
    model: '',
    pacing: '',
    voice: '',
    rate: '1',
    tools: [],
    isMuted: false,
};

const isLike = (value, example) =>
    Array.isArray(example) === Array.isArray(value) && typeof value === typeof example;

// A browser may forbid storage.
function read() {
    try {
        return JSON.parse(localStorage.getItem(place)) ?? {};
    } catch {
        return {};
    }
}

function write(values) {
    try {
        localStorage.setItem(place, JSON.stringify(values));
    } catch {
        // The settings then last until the page is closed.
    }
}

export class Settings {
    #values = { ...defaults };

    constructor() {
        for (const [name, value] of Object.entries(read()))
            if (isLike(value, defaults[name])) this.#values[name] = value;
    }

    get(name) {
        return this.#values[name];
    }

    set(name, value) {
        this.#values[name] = value;
        write(this.#values);
    }

    /** The functions that the model may call. */
    get tools() {
        const names = this.#values.tools;
        return functions.filter((tool) => names.includes(tool.function.name));
    }

    /** Settings for the first message of a session. */
    get session() {
        const { model, pacing, prompt } = this.#values;
        return {
            ...(model && { model }),
            ...(pacing && { options: { pacing } }),
            messages: prompt.trim() ? [{ role: 'system', content: prompt }] : [],
        };
    }
}
