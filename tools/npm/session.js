// A conversation with the gateway by docs/voice-websocket.md.

import { Link } from './link.js';
import { Reply } from './reply.js';
import { VoiceError } from './voice_error.js';

export { VoiceError };

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

class Session {
    #link;
    #begin;
    #tools;
    #turns = 0;
    #replies = new Map();
    // Messages that wait for a connection.
    #waiting = [];
    #isReady = false;
    #failed = null;

    constructor(url, { key, WebSocket, model, system, options = {}, tools = {}, signal }) {
        this.#tools = tools;
        const described = Object.entries(tools).map(([name, { description, parameters }]) => ({
            type: 'function',
            function: { name, description, parameters },
        }));
        if (described.length) options = { ...options, tools: described };
        const messages = system ? [{ role: 'system', content: system }] : [];
        this.#begin = { model, messages, options };
        signal?.throwIfAborted();
        signal?.addEventListener('abort', () => this.#fail(signal.reason), { once: true });
        this.#link = new Link(url, { key, WebSocket }, {
            opening: (session) => (session ? { session } : this.#begin),
            onReady: (message) => this.#ready(message),
            onMessage: (message) => this.#take(message),
            onLost: () => this.#lost(),
            onFailed: (error) => this.#fail(error),
        });
    }

    /** Asks for a reply to the user's words; it interrupts the running one. */
    ask(text, fields = {}) {
        return this.#turn({ type: 'start', text, ...fields });
    }

    /** Speaks a text of the bot's own. */
    say(text, fields = {}) {
        return this.#turn({ type: 'say', text, ...fields }, false);
    }

    /** The user talks over the bot; heard: {chunk, chars} or {chunk, share}. */
    interrupt(heard) {
        this.#replies.forEach((reply) => reply.interrupt());
        this.#link.send({ type: 'interrupt', heard });
    }

    heard(place) {
        this.#link.send({ type: 'heard', ...place });
    }

    speaking(chunk, endsInMs) {
        this.#link.send({ type: 'speaking', chunk, ends_in_ms: endsInMs });
    }

    hearing(text) {
        this.#link.send({ type: 'hearing', text });
    }

    /** Drafts the reply to what the user has probably said: commit() with its `turn`. */
    draft(text, fields = {}) {
        const turn = `${++this.#turns}`;
        this.#link.send({ type: 'draft', turn, text, ...fields });
        return turn;
    }

    commit(text, fields = {}) {
        return this.#turn({ type: 'commit', text, ...fields });
    }

    drop() {
        this.#link.send({ type: 'drop' });
    }

    /** Ends the session. */
    close() {
        this.#link.send({ type: 'end' });
        this.#fail(new VoiceError('closed', 'The session was closed'));
    }

    #turn(message, interrupts = true) {
        if (this.#failed) throw this.#failed;
        const turn = message.turn ?? `${++this.#turns}`;
        const reply = new Reply(turn, (said) => this.#link.send(said));
        if (interrupts) this.#replies.forEach((other) => other.interrupt());
        this.#replies.set(turn, reply);
        this.#send({ ...message, turn });
        return reply;
    }

    #send(message) {
        if (!this.#isReady) this.#waiting.push(message);
        else this.#link.send(message);
    }

    #ready({ resumed }) {
        this.#isReady = true;
        const waiting = new Set(this.#waiting.map(({ turn }) => turn));
        const why = new VoiceError('connection_lost', 'The connection was lost; ask again');
        this.#replies.forEach((reply, turn) => {
            if (!waiting.has(turn) && (!resumed || !reply.hasText)) this.#over(reply, why);
        });
        const left = [...this.#replies.values()];
        if (left.length && left.every((reply) => reply.isOver)) this.#link.send({ type: 'interrupt' });
        this.#waiting.splice(0).forEach((message) => this.#link.send(message));
    }

    #lost() {
        this.#isReady = false;
        this.#replies.forEach((reply) => reply.lose());
    }

    #take(message) {
        const reply = this.#replies.get(message.turn);
        if (message.type === 'chunk') reply?.take(message);
        else if (message.type === 'call') this.#call(message);
        else if (message.type === 'end' && reply) this.#ended(reply, message);
        else if (message.type === 'error') {
            const error = new VoiceError(message.code, message.message, message);
            if (reply) this.#over(reply, error);
            else if (message.fatal) this.#fail(error);
        }
    }

    #ended(reply, end) {
        if (reply.isEndBefore(end) && !reply.isOver) return;
        if (end.finish_reason === 'tool_calls') return;
        reply.finish(end);
        this.#replies.delete(reply.turn);
    }

    async #call({ id, name, arguments: given }) {
        let content;
        try {
            if (!this.#tools[name]) throw new Error(`there is no function ${name}`);
            content = textOf(await this.#tools[name].run(given));
        } catch (error) {
            content = `Error: ${error.message}`;
        }
        this.#link.send({ type: 'result', call: id, content });
    }

    #over(reply, error) {
        reply.fail(error);
        this.#replies.delete(reply.turn);
    }

    #fail(error) {
        if (this.#failed) return;
        this.#failed = error;
        this.#replies.forEach((reply) => this.#over(reply, error));
        this.#link?.close();
    }
}

/** Begins a session; it connects, and connects again, by itself. */
export const connect = (url, options = {}) => new Session(url, options);
