// Speaks a chunk and reports progress: with the browser's voice, or silently at speaking pace if
// there is none.

const silentCharsPerSecond = 16;
// A browser without voices fires no event: neither start, nor end, nor error.
const longestStartMs = 4000;
const tickMs = 100;
const interruptions = new Set(['interrupted', 'canceled']);

export const codePoints = (text) => [...text].length;

export class Speaker {
    #synthesis = window.speechSynthesis ?? null;
    #isMuted = false;
    #current = null;
    #lastWords = { text: '', until: 0 };
    #charsPerSecond = silentCharsPerSecond;
    #rate = 1;
    /** The name of the voice; empty for the browser's own. */
    voice = '';
    #onNoVoice;

    /** onNoVoice(): the browser cannot speak; replies continue silently. */
    constructor({ onNoVoice }) {
        this.#onNoVoice = onNoVoice;
    }

    get canSpeak() {
        return this.#synthesis !== null;
    }

    get isMuted() {
        return this.#isMuted || !this.canSpeak;
    }

    /** The names of the browser's voices; those of the user's language come first. */
    get voices() {
        const language = navigator.language.slice(0, 2);
        const isOther = ({ lang }) => Number(!lang.startsWith(language));
        const all = [...(this.#synthesis?.getVoices() ?? [])];
        return all.sort((a, b) => isOther(a) - isOther(b)).map(({ name }) => name);
    }

    /** The handler to call when the list of voices changes. */
    set onVoices(onVoices) {
        if (this.#synthesis) this.#synthesis.onvoiceschanged = onVoices;
    }

    /** The speed of the voice, and of silent replies; 1 is normal. */
    set rate(rate) {
        this.#charsPerSecond *= rate / this.#rate;
        this.#rate = rate;
    }

    /** Muting continues the current speech silently from where it is. */
    set isMuted(isMuted) {
        this.#isMuted = isMuted;
        const current = this.#current;
        if (!isMuted || !current?.utterance) return;
        this.#silence(current);
        this.#pace(current);
    }

    /** Call on a tap: on phones, a page may speak only after it has spoken in response to a tap. */
    unlock() {
        if (!this.isMuted && !this.#synthesis.speaking)
            this.#synthesis.speak(new SpeechSynthesisUtterance(''));
    }

    /** What was spoken a moment ago or is being spoken. */
    get recentText() {
        if (this.#current) return `${this.#lastWords.text} ${this.#current.text}`;
        return performance.now() < this.#lastWords.until ? this.#lastWords.text : '';
    }

    /** Speaks `text`. Calls onStart(), onProgress(chars), and, if not stopped, onEnd() once. */
    speak(text, handlers) {
        this.stop();
        const current = {
            text,
            length: codePoints(text),
            heard: 0,
            handlers,
            startedAt: 0,
            timer: 0,
            utterance: null,
        };
        this.#current = current;
        if (this.isMuted) this.#pace(current);
        else this.#voice(current);
    }

    /** Stops, and returns the number of characters heard; null if nothing was being spoken. */
    stop() {
        const current = this.#current;
        if (!current) return null;
        if (current.utterance && !current.hasBoundaries) this.#guess(current);
        const wasSpoken = this.#leave(current);
        if (wasSpoken) this.#synthesis.cancel();
        return current.heard;
    }

    // --- by the browser's voice

    #voice(current) {
        const utterance = new SpeechSynthesisUtterance(current.text);
        const voice = this.#synthesis.getVoices().find(({ name }) => name === this.voice);
        if (voice) utterance.voice = voice;
        utterance.lang = voice?.lang ?? navigator.language;
        utterance.rate = this.#rate;
        // Stored, because browsers garbage-collect an unreferenced utterance before its end event.
        current.utterance = utterance;
        utterance.onstart = () => this.#started(current, utterance);
        utterance.onboundary = (event) => {
            if (current.utterance !== utterance) return;
            current.hasBoundaries = true;
            this.#progress(current, codePoints(current.text.slice(0, event.charIndex)));
        };
        utterance.onend = () => current.utterance === utterance && this.#ended(current);
        utterance.onerror = (event) =>
            current.utterance === utterance && this.#failed(current, event.error);
        current.timer = setTimeout(() => this.#failed(current, 'no-voice'), longestStartMs);
        this.#synthesis.speak(utterance);
    }

    #started(current, utterance) {
        if (current.utterance !== utterance) return;
        clearTimeout(current.timer);
        current.timer = setInterval(() => !current.hasBoundaries && this.#guess(current), tickMs);
        current.startedAt = performance.now();
        current.handlers.onStart();
    }

    // If the browser fires no word events, progress is estimated from time.
    #guess(current) {
        if (!current.startedAt) return;
        const seconds = (performance.now() - current.startedAt) / 1000;
        this.#progress(
            current,
            Math.min(Math.floor(seconds * this.#charsPerSecond), current.length - 1),
        );
    }

    #failed(current, why) {
        this.#silence(current);
        // Another page or the user may stop the speech; the voice remains available.
        if (!interruptions.has(why)) {
            this.#isMuted = true;
            this.#onNoVoice();
        }
        this.#pace(current);
    }

    #silence(current) {
        clearInterval(current.timer);
        current.utterance = null;
        this.#synthesis.cancel();
    }

    // --- in silence

    #pace(current) {
        const from = current.heard;
        const began = performance.now();
        if (!current.startedAt) current.handlers.onStart();
        current.startedAt ||= began;
        const charsPerSecond = silentCharsPerSecond * this.#rate;
        current.timer = setInterval(() => {
            const heard = from + Math.floor(((performance.now() - began) / 1000) * charsPerSecond);
            if (heard >= current.length) this.#ended(current);
            else this.#progress(current, heard);
        }, tickMs);
    }

    // --- both

    #progress(current, heard) {
        current.heard = Math.max(current.heard, heard);
        current.handlers.onProgress(current.heard);
    }

    #ended(current) {
        const seconds = (performance.now() - current.startedAt) / 1000;
        if (current.utterance && seconds > 0.5) this.#charsPerSecond = current.length / seconds;
        current.heard = current.length;
        this.#leave(current);
        current.handlers.onEnd();
    }

    // Returns whether the browser spoke the text.
    #leave(current) {
        const wasSpoken = current.utterance !== null;
        clearInterval(current.timer);
        current.utterance = null;
        this.#current = null;
        this.#lastWords = { text: wasSpoken ? current.text : '', until: performance.now() + 1500 };
        return wasSpoken;
    }
}
