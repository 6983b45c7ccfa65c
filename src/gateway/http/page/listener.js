// The browser's speech recognition, if available.

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;

const faults = {
    'not-allowed': 'The browser does not let this page use the microphone.',
    'service-not-allowed': 'The browser does not let this page use speech recognition.',
    'audio-capture': 'There is no microphone.',
    network: 'Speech recognition cannot be reached.',
    'language-not-supported': 'Speech recognition does not know this language.',
};
// Browsers end recognition after some silence. If it repeatedly ends at once, it does not work.
const shortRunMs = 1000;
const mostShortRuns = 3;

export class Listener {
    #handlers;
    #recognition = null;
    #startedAt = 0;
    #shortRuns = 0;
    #lastSoundAt = 0;

    static get isThere() {
        return Recognition !== undefined;
    }

    /** onPartial(text), onFinal(text, msAgo) with the time since the user stopped, onChange(fault). */
    constructor(handlers) {
        this.#handlers = handlers;
    }

    get isOn() {
        return this.#recognition !== null;
    }

    start() {
        if (this.isOn) return;
        this.#shortRuns = 0;
        const recognition = new Recognition();
        recognition.continuous = true;
        recognition.interimResults = true;
        recognition.lang = navigator.language;
        recognition.onresult = (event) => this.#heard(event);
        recognition.onerror = (event) => faults[event.error] && this.stop(faults[event.error]);
        recognition.onend = () => this.#again(recognition);
        this.#recognition = recognition;
        this.#run(recognition);
        this.#handlers.onChange('');
    }

    stop(fault = '') {
        const recognition = this.#recognition;
        if (!recognition) return;
        this.#recognition = null;
        recognition.abort();
        this.#handlers.onChange(fault);
    }

    #run(recognition) {
        this.#startedAt = performance.now();
        recognition.start();
    }

    #again(recognition) {
        if (this.#recognition !== recognition) return;
        const isShort = performance.now() - this.#startedAt < shortRunMs;
        this.#shortRuns = isShort ? this.#shortRuns + 1 : 0;
        if (this.#shortRuns >= mostShortRuns) this.stop('Speech recognition does not stay on.');
        else this.#run(recognition);
    }

    #heard(event) {
        const now = performance.now();
        for (let i = event.resultIndex; i < event.results.length; ++i) {
            const result = event.results[i];
            const text = result[0].transcript.trim();
            if (!text) continue;
            if (!result.isFinal) this.#partial(text, now);
            else this.#handlers.onFinal(text, this.#lastSoundAt ? now - this.#lastSoundAt : 0);
            if (result.isFinal) this.#lastSoundAt = 0;
        }
    }

    #partial(text, now) {
        this.#lastSoundAt = now;
        this.#handlers.onPartial(text);
    }
}
