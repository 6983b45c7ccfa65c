// A connection to /v1/voice: opens it, resumes its session, and reconnects with increasing delays.

import { VoiceError } from './voice_error.js';

const protocol = 'tandem.voice.v1';
const keyProtocol = 'tandem-api-key.';
const firstWaitMs = 300;
const longestWaitMs = 15000;
const restartWaitMs = 2000;
const answerWithinMs = 10000;

// Replaces lone surrogates, because they are not text.
const asText = (_, value) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value;
const encode = (message) => JSON.stringify(message, asText);

const remedy = 'pass one that begins with http: or https:';

// A subprotocol of a WebSocket is a token.
const isToken = (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text);
const notToken = 'A WebSocket can send letters, digits and -._~ of a key, but not all of this one.';

/** Returns the URL with http or https, which fetch() requires, and with a slash at its end. */
function parseBase(text) {
    try {
        const { protocol: scheme, href } = new URL(text.replace(/^ws/, 'http'));
        if (/^https?:$/.test(scheme)) return href.endsWith('/') ? href : `${href}/`;
    } catch {
        // Refused below.
    }
    throw new VoiceError('connect_failed', `${text} is no URL of a gateway; ${remedy}`);
}

// A later attempt may succeed after these client errors: timeout, too early, too many requests.
const retriedStatuses = [408, 425, 429];
const isClientError = (status) =>
    status >= 400 && status < 500 && !retriedStatuses.includes(status);

const closes = { internal: 1011, restarting: 1012, takenOver: 4001, moved: 4012 };

export class Link {
    #base;
    #Socket;
    #mostTries;
    #handlers;
    #socket = null;
    #session = '';
    #key = '';
    #isReady = false;
    #mostBytes = Infinity;
    #isRefused = false;
    #wasReady = false;
    #tries = 0;
    #attempt = 0;
    #waitTimer = 0;
    #answerTimer = 0;
    #closed = new AbortController();
    /** What the listener heard last, for the next connection: {chunk, speaking, chars, …}. */
    last = undefined;
    /** `last` in the first message of the connection. */
    sentLast = undefined;

    /**
     * url: the gateway's URL. opening(session): the first message of a
     * connection.
     * onReady(message), onMessage(message): a message of the gateway.
     * onLost(): a ready connection was lost.
     * onLink(state, detail): 'connecting', 'ready' (detail: model), 'waiting' (detail: {ms, why}),
     * 'key' and 'stopped' (detail: error), after which it does not connect by itself.
     */
    constructor(url, { mostTries = Infinity, WebSocket = globalThis.WebSocket }, handlers) {
        this.#base = parseBase(url);
        this.#mostTries = mostTries;
        this.#Socket = WebSocket;
        this.#handlers = handlers;
        const { signal } = this.#closed;
        globalThis.addEventListener?.('online', () => this.#now(), { signal });
        globalThis.addEventListener?.('offline', () => this.#drop(), { signal });
        const { document } = globalThis;
        const onShown = () => !document.hidden && this.#now();
        document?.addEventListener('visibilitychange', onShown, { signal });
    }

    get isReady() {
        return this.#isReady;
    }

    /** Connects immediately, with this key if one is given. */
    async connect(key = this.#key) {
        this.#key = key;
        clearTimeout(this.#waitTimer);
        this.#waitTimer = 0;
        const attempt = ++this.#attempt;
        this.#handlers.onLink('connecting');
        if (key && !isToken(key)) {
            // The caller does not have the session yet, which a handler may use.
            await null;
            if (attempt === this.#attempt) this.#refuseKey();
            return;
        }
        // A refused WebSocket reports no reason, but an HTTP request does.
        if (key || this.#tries > 0) {
            const answer = await this.#ask();
            if (attempt !== this.#attempt || !this.#mayConnect(answer)) return;
        }
        this.#open();
    }

    /** Returns false, and sends nothing, if there is no connection. */
    send(message) {
        if (this.#isReady) this.#socket.send(encode(message));
        return this.#isReady;
    }

    /** Whether the gateway accepts a message of this size. */
    canSend(message) {
        return new TextEncoder().encode(encode(message)).length <= this.#mostBytes;
    }

    /** The names of the gateway's models; empty if it does not report them. */
    async models() {
        const answer = await this.#ask();
        return answer.ok ? answer.data.map(({ id }) => id) : [];
    }

    /** Ends the session, and begins a new one. */
    anew() {
        this.send({ type: 'end' });
        this.#session = '';
        this.#forget();
        this.connect();
    }

    /** Ends the session. No more handlers are called. */
    close() {
        this.send({ type: 'end' });
        this.#attempt += 1;
        this.#closed.abort();
        clearTimeout(this.#waitTimer);
        this.#isReady = false;
        this.#forget();
    }

    #address(path) {
        return new URL(path, this.#base);
    }

    /** Returns {cause} if the gateway does not answer. */
    async #ask() {
        try {
            const headers = this.#key ? { Authorization: `Bearer ${this.#key}` } : {};
            const signal = AbortSignal.timeout(answerWithinMs);
            const how = { headers, cache: 'no-store', signal };
            const answer = await fetch(this.#address('v1/models'), how);
            const body = await answer.json().catch(() => null);
            const { error, data } = body ?? {};
            return { ok: answer.ok, status: answer.status, error: error ?? {}, data: data ?? [] };
        } catch (error) {
            return { cause: error.cause ?? error };
        }
    }

    #mayConnect({ ok, status, error, cause }) {
        if (ok) return true;
        if (status) return this.#refused(status, error);
        const name = typeof cause.code === 'string' ? cause.code : cause.message;
        const why = `No connection (${name})`;
        // Node.js reports the faults of a certificate.
        if (!this.#wasReady && /CERT|SIGNATURE/.test(name)) this.#stop({ code: 'connect_failed', message: why });
        else this.#wait(0, why);
        return false;
    }

    #refuseKey() {
        this.#handlers.onLink('key', new VoiceError('invalid_api_key', notToken));
    }

    #refused(status, answered) {
        const code = answered.code ?? `http_${status}`;
        const message = answered.message ?? `the gateway answered ${status}`;
        // A key that may generate needs no other right.
        if (code === 'insufficient_permissions' && !this.#isRefused) return true;
        const error = new VoiceError(code, message);
        if (status === 401) this.#handlers.onLink('key', error);
        else if (status === 403 || this.#isWrongAddress(status))
            this.#handlers.onLink('stopped', error);
        else this.#wait(0, message);
        return false;
    }

    // A proxy can also answer such a status while a gateway restarts that has been ready before.
    #isWrongAddress(status) {
        return !this.#wasReady && isClientError(status);
    }

    #open() {
        let socket;
        const protocols = this.#key ? [protocol, keyProtocol + this.#key] : [protocol];
        const address = this.#address('v1/voice');
        address.protocol = address.protocol.replace('http', 'ws');
        try {
            socket = new this.#Socket(address, protocols);
        } catch {
            return this.#refuseKey();
        }
        this.#socket = socket;
        this.#isRefused = true;
        this.#answerTimer = setTimeout(() => this.#drop(), answerWithinMs);
        socket.onopen = () => {
            if (this.#socket !== socket) return socket.close();
            this.#isRefused = false;
            this.#begin(socket);
        };
        socket.onmessage = (event) => this.#socket === socket && this.#take(JSON.parse(event.data));
        socket.onclose = (event) => this.#socket === socket && this.#lost(event.code);
        // In Node.js, no close follows if the connection was refused.
        socket.onerror = () => this.#socket === socket && this.#lost();
    }

    #begin(socket) {
        const message = { type: 'start', ...this.#handlers.opening(this.#session) };
        this.sentLast = this.#session ? this.last : undefined;
        message.last = this.sentLast;
        socket.send(encode(message));
    }

    #take(message) {
        if (message.type === 'ready') return this.#ready(message);
        if (message.fatal && !message.retryable) return this.#stop(message);
        if (this.#isReady || message.type !== 'error') return this.#handlers.onMessage(message);
        if (message.code === 'session_not_found') this.#session = '';
        else if (!message.param?.startsWith('last')) return this.#turnedAway(message);
        this.last = undefined;
        this.#begin(this.#socket);
    }

    // There is no session, and another start on this connection would fail, too.
    #turnedAway(error) {
        this.#forget();
        if (error.retryable) this.#wait(error.retry_after_ms, error.message);
        else this.#stop(error);
    }

    // Another connection would send the same message, and fail, too.
    #stop(error) {
        this.#forget();
        this.#handlers.onLink('stopped', new VoiceError(error.code, error.message, error));
    }

    #ready(message) {
        clearTimeout(this.#answerTimer);
        this.#isReady = this.#wasReady = true;
        this.#tries = 0;
        this.#session = message.session;
        this.#mostBytes = message.limits?.message_bytes ?? Infinity;
        if (!message.resumed) this.last = undefined;
        this.#handlers.onLink('ready', message.model);
        this.#handlers.onReady(message);
    }

    #lost(code) {
        this.#forget();
        if (code === closes.internal) this.#session = '';
        if (code === closes.moved) return this.connect();
        if (code !== closes.takenOver)
            return this.#wait(code === closes.restarting ? restartWaitMs : 0);
        const why = 'Another connection goes on with this conversation.';
        this.#handlers.onLink('stopped', new VoiceError('taken_over', why));
    }

    // Closes the socket; its later events are ignored.
    #forget() {
        clearTimeout(this.#answerTimer);
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
        if (this.#tries >= this.#mostTries) {
            const origin = this.#address('').origin;
            const message = `${origin} was tried ${this.#tries} times: ${why}`;
            return this.#handlers.onLink('stopped', new VoiceError('connection_lost', message));
        }
        const wait = Math.min(firstWaitMs * 2 ** this.#tries++, longestWaitMs);
        const ms = Math.max(least, wait * (0.75 + Math.random() / 2));
        this.#handlers.onLink('waiting', { ms, why });
        this.#waitTimer = setTimeout(() => this.connect(), ms);
    }

    #now() {
        if (this.#waitTimer) this.connect();
    }
}
