// The WebSocket of docs/voice-websocket.md: opens it, resumes its session, and reconnects with
// increasing delays.

const protocol = 'tandem.voice.v1';
const keyProtocol = 'tandem-api-key.';
const firstWaitMs = 300;
const longestWaitMs = 15000;
const restartWaitMs = 2000;

const closes = { done: 1000, restarting: 1012, takenOver: 4001 };

const addressOf = (path) => new URL(path, document.baseURI);

function voiceAddress() {
    const address = addressOf('v1/voice');
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    return address;
}

export class VoiceSocket {
    #handlers;
    #socket = null;
    #session = '';
    #key = '';
    #isReady = false;
    #isRefused = false;
    #tries = 0;
    #attempt = 0;
    #timer = 0;

    /**
     * opening(session): the first message of a connection.
     * onReady(message), onMessage(message): what the gateway said.
     * onLost(): a connection that was ready is gone.
     * onLink(state, detail): 'connecting', 'ready' (detail: model), 'waiting' (detail: {ms, why}),
     * 'key' (detail: fault), 'stopped' (detail: why).
     */
    constructor(handlers) {
        this.#handlers = handlers;
        addEventListener('online', () => this.#now());
        addEventListener('offline', () => this.#drop());
        document.addEventListener('visibilitychange', () => !document.hidden && this.#now());
    }

    get isReady() {
        return this.#isReady;
    }

    /** Connects; with a key that was not shown before it is tried at once. */
    async connect(key = this.#key) {
        this.#key = key;
        clearTimeout(this.#timer);
        this.#timer = 0;
        const attempt = ++this.#attempt;
        this.#handlers.onLink('connecting');
        // A refused WebSocket reports no reason, but an HTTP request does.
        if (key || this.#tries > 0) {
            const answer = await this.#ask();
            if (attempt !== this.#attempt || !this.#mayConnect(answer)) return;
        }
        this.#open();
    }

    /** False if there is no connection; then nothing is sent. */
    send(message) {
        if (this.#isReady) this.#socket.send(JSON.stringify(message));
        return this.#isReady;
    }

    /** Ends the session, and begins another one. */
    anew() {
        this.send({ type: 'end' });
        this.#session = '';
        this.#forget();
        this.connect();
    }

    /** Undefined if nobody answers. */
    async #ask() {
        try {
            const headers = this.#key ? { Authorization: `Bearer ${this.#key}` } : {};
            const answer = await fetch(addressOf('v1/models'), { headers, cache: 'no-store' });
            const { error = {} } = answer.ok ? {} : await answer.json().catch(() => ({}));
            return { ok: answer.ok, status: answer.status, error };
        } catch {
            return undefined;
        }
    }

    #mayConnect(answer) {
        if (answer) return answer.ok || this.#refused(answer.status, answer.error);
        this.#wait();
        return false;
    }

    #refused(status, { code, message = `the gateway answered ${status}` }) {
        // A key with the right to generate needs no other.
        if (code === 'insufficient_permissions' && !this.#isRefused) return true;
        if (status === 401) this.#handlers.onLink('key', this.#key ? message : '');
        else if (status === 403) this.#handlers.onLink('stopped', message);
        else this.#wait();
        return false;
    }

    #open() {
        let socket;
        try {
            socket = new WebSocket(voiceAddress(), this.#protocols());
        } catch {
            this.#handlers.onLink(
                'key',
                'Browsers can send letters, digits and -._~ of a key, but not all of this one.',
            );
            return;
        }
        this.#socket = socket;
        this.#isRefused = true;
        socket.onopen = () => {
            if (this.#socket !== socket) return socket.close();
            this.#isRefused = false;
            this.#begin(socket);
        };
        socket.onmessage = (event) => this.#socket === socket && this.#take(JSON.parse(event.data));
        socket.onclose = (event) => this.#socket === socket && this.#closed(event.code);
    }

    #protocols() {
        return this.#key ? [protocol, keyProtocol + this.#key] : [protocol];
    }

    #begin(socket) {
        socket.send(JSON.stringify({ type: 'start', ...this.#handlers.opening(this.#session) }));
    }

    #take(message) {
        if (message.type === 'ready') return this.#ready(message);
        if (this.#isReady || message.type !== 'error') return this.#handlers.onMessage(message);
        if (message.code !== 'session_not_found') return this.#turnedAway(message);
        this.#session = '';
        this.#begin(this.#socket);
    }

    // There is no session, and another start on this connection would fail too.
    #turnedAway({ message, retryable, retry_after_ms: least }) {
        this.#forget();
        if (retryable) this.#wait(least, message);
        else this.#handlers.onLink('stopped', message);
    }

    #ready(message) {
        this.#isReady = true;
        this.#tries = 0;
        this.#session = message.session;
        this.#handlers.onLink('ready', message.model);
        this.#handlers.onReady(message);
    }

    #closed(code) {
        this.#forget();
        if (code === closes.takenOver)
            this.#handlers.onLink('stopped', 'Another window goes on with this conversation.');
        else this.#wait(code === closes.restarting ? restartWaitMs : 0);
    }

    // Ignore events of an old socket.
    #forget() {
        const wasReady = this.#isReady;
        const socket = this.#socket;
        this.#isReady = false;
        this.#socket = null;
        socket?.close();
        if (wasReady) this.#handlers.onLost();
    }

    #drop() {
        if (!this.#socket) return;
        this.#forget();
        this.#wait();
    }

    #wait(least = 0, why = 'No connection') {
        const wait = Math.min(firstWaitMs * 2 ** this.#tries++, longestWaitMs);
        const ms = Math.max(least, wait * (0.75 + Math.random() / 2));
        this.#handlers.onLink('waiting', { ms, why });
        this.#timer = setTimeout(() => this.connect(), ms);
    }

    #now() {
        if (this.#timer) this.connect();
    }
}
