// The browser's speech recognition, if available.

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;

const faults = {
    'not-allowed': 'The browser does not let this page use the microphone.',
    'service-not-allowed': 'The browser does not let this page use speech recognition.',
    'audio-capture': 'There is no microphone.',
    network: 'Speech recognition cannot be reached.',
    'language-not-supported': 'Speech recognition does not know this language.',
};
// Browsers end recognition after some silence. Recognition that repeatedly ends
// immediately does not work.
const shortRunMs = 1000;
const mostShortRuns = 3;
// Words that stay unchanged for this long are probably complete. Recognition takes longer to report
// them as final.
const pauseMs = 300;

export class Listener {
    #handlers;
    #recognition = null;
    #startedAt = 0;
    #shortRuns = 0;
    #lastSoundAt = 0;
    #soFar = '';
    #pauseTimer = 0;

    static get isThere() {
        return Recognition !== undefined;
    }

    /**
     * onPartial(text): what the user has said so far; empty if the speech is discarded.
     * onPause(text): the user has probably finished speaking.
     * onFinal(text, msAgo): what the user said, and how long ago the user stopped.
     * onChange(fault)
     */
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
        this.#setSoFar('');
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
        if (this.#shortRuns >= mostShortRuns)
            return this.stop('Speech recognition does not stay on.');
        // Words that did not become final are lost.
        if (this.#soFar) this.#partial('');
        this.#run(recognition);
    }

    #heard(event) {
        const results = Array.from(event.results);
        for (const result of results.slice(event.resultIndex))
            if (result.isFinal) this.#final(textOf([result]));
        this.#partial(textOf(results.filter((result) => !result.isFinal)));
    }

    #final(text) {
        if (!text) return;
        this.#setSoFar('');
        this.#handlers.onFinal(text, this.#lastSoundAt ? performance.now() - this.#lastSoundAt : 0);
        this.#lastSoundAt = 0;
    }

    #partial(text) {
        if (text) this.#lastSoundAt = performance.now();
        if (text === this.#soFar) return;
        this.#setSoFar(text);
        this.#handlers.onPartial(text);
    }

    #setSoFar(text) {
        this.#soFar = text;
        clearTimeout(this.#pauseTimer);
        if (text) this.#pauseTimer = setTimeout(() => this.#handlers.onPause(text), pauseMs);
    }
}

// The browser splits text that is not final into parts.
const textOf = (results) =>
    results
        .map((result) => result[0].transcript.trim())
        .join(' ')
        .trim();
