// A connection to /v1/voice, which is opened again when it is lost.

import { VoiceError } from './voice_error.js';

const protocol = 'tandem.voice.v1';
const firstWaitMs = 300;
const longestWaitMs = 5000;
const openWithinMs = 10000;
const mostTries = 8;
const closes = { restarting: 1012, internal: 1011, takenOver: 4001 };

function addressOf(url) {
    const address = new URL('v1/voice', url.endsWith('/') ? url : `${url}/`);
    address.protocol = address.protocol.replace('http', 'ws');
    return address;
}

export class Link {
    #url;
    #key;
    #Socket;
    #handlers;
    #socket = null;
    #isReady = false;
    #session;
    #tries = 0;
    #timer = 0;

    /**
     * opening(session): the first message of a connection.
     * onReady(message), onMessage(message), onLost(), onFailed(error): nothing comes after this one.
     */
    constructor(url, { key, WebSocket = globalThis.WebSocket }, handlers) {
        if (!WebSocket)
            throw new VoiceError(
                'no_websocket',
                'There is no WebSocket here: use Node.js 22, node --experimental-websocket, or the option WebSocket',
            );
        this.#url = addressOf(url);
        this.#key = key;
        this.#Socket = WebSocket;
        this.#handlers = handlers;
        this.#open();
    }

    /** False if there is no connection; then nothing is sent. */
    send(message) {
        if (this.#isReady) this.#socket.send(JSON.stringify(message));
        return this.#isReady;
    }

    close() {
        clearTimeout(this.#timer);
        this.#isReady = false;
        const socket = this.#socket;
        this.#socket = null;
        socket?.close();
    }

    #open() {
        const protocols = this.#key ? [protocol, `tandem-api-key.${this.#key}`] : [protocol];
        const socket = new this.#Socket(this.#url, protocols);
        this.#socket = socket;
        this.#timer = setTimeout(() => this.#closed(0), openWithinMs);
        socket.onopen = () => this.#socket === socket && this.#begin();
        socket.onmessage = ({ data }) => this.#socket === socket && this.#take(JSON.parse(data));
        socket.onerror = () => {};
        socket.onclose = ({ code }) => this.#socket === socket && this.#closed(code);
    }

    #begin() {
        const first = { type: 'start', ...this.#handlers.opening(this.#session) };
        this.#socket.send(JSON.stringify(first));
    }

    #take(message) {
        if (message.type === 'ready') return this.#ready(message);
        if (this.#isReady || message.type !== 'error') return this.#handlers.onMessage(message);
        if (message.code === 'session_not_found') {
            this.#session = undefined;
            return this.#begin();
        }
        if (message.retryable) return this.#closed(0, message);
        this.#fail(new VoiceError(message.code, message.message, message));
    }

    #ready(message) {
        clearTimeout(this.#timer);
        this.#isReady = true;
        this.#tries = 0;
        this.#session = message.session;
        this.#handlers.onReady(message);
    }

    #closed(code, { message, retry_after_ms: least = 0 } = {}) {
        const wasReady = this.#isReady;
        this.close();
        if (wasReady) this.#handlers.onLost();
        if (code === closes.internal) this.#session = undefined;
        if (code === closes.takenOver)
            return this.#fail(new VoiceError('taken_over', 'Another connection took the session'));
        if (++this.#tries > mostTries) {
            const why = message ?? `${this.#url.origin} does not answer, or refuses the key`;
            return this.#fail(new VoiceError('connection_lost', `${mostTries} tries failed: ${why}`));
        }
        const wait = Math.min(firstWaitMs * 2 ** (this.#tries - 1), longestWaitMs);
        const ms = Math.max(least, code === closes.restarting ? 2000 : 0, wait * (0.75 + Math.random() / 2));
        this.#timer = setTimeout(() => this.#open(), ms);
    }

    #fail(error) {
        this.close();
        this.#handlers.onFailed(error);
    }
}
