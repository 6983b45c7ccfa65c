// A conversation with the gateway, as in docs/voice-websocket.md.

import { Calls } from './calls.js';
import { History } from './history.js';
import { Link } from './link.js';
import { isQuestion, joinQuestions, tellBefore } from './question.js';
import { Reply } from './reply.js';
import { VoiceError } from './voice_error.js';

export { VoiceError };

const mostTries = 8;
// Maximum number of messages that wait for a connection.
const mostWaiting = 32;

const remedy = 'use Node.js 22, node --experimental-websocket, or the option WebSocket';

const toCount = (value) => Math.max(Math.round(value), 0);

// Clamp the report to its bounds, because a computed position may exceed them.
const clampers = {
    chars: toCount,
    share: (value) => Math.min(Math.max(value, 0), 1),
    words: toCount,
    said: String,
};

function clampPlace({ chunk, ...heard }) {
    const isKnown = ([, value]) => typeof value === 'string' || Number.isFinite(value);
    const [place, ...others] = Object.entries(heard).filter(isKnown);
    if (!place) return undefined;
    const [name, value] = place;
    if (!Object.hasOwn(clampers, name) || others.length > 0)
        throw new TypeError('give one of chars, share, words or said of a chunk');
    return { chunk, [name]: clampers[name](value) };
}

class Session {
    #link;
    #first;
    #calls;
    #onError;
    #turns = 0;
    // The replies that have not ended, by turn.
    #replies = new Map();
    #history = new History();
    // Taken, unspoken chunks: {chunk, text}; text: the reply's text up to the chunk's end.
    #unspoken = [];
    // The last reported place in an unspoken chunk.
    #place = null;
    // The lookahead of the last question.
    #lookahead = 0;
    // Messages that wait for a connection.
    #waiting = [];
    // Whether the first message of the session requests a reply that nobody takes.
    #isAsking = false;
    // The interrupted questions that the first message contains.
    #told = [];
    #drafted = null;
    #failed = null;

    constructor(url, options) {
        const { key, model, system, tools = {}, signal, onError = console.error } = options;
        const WebSocket = options.WebSocket ?? globalThis.WebSocket;
        if (!WebSocket)
            throw new VoiceError('no_websocket', `There is no WebSocket: ${remedy}`);
        signal?.throwIfAborted();
        this.#onError = onError;
        this.#link = new Link(String(url), { mostTries, WebSocket }, {
            opening: (session) => (session ? { session } : this.#anew()),
            onReady: (message) => this.#ready(message),
            onMessage: (message) => this.#take(message),
            onLost: () => this.#lost(),
            onLink: (state, detail) => ['key', 'stopped'].includes(state) && this.#fail(detail),
        });
        this.#calls = new Calls(tools, this.#link);
        const known = this.#calls.described;
        const messages = system ? [{ role: 'system', content: system }] : [];
        const given = known.length > 0 ? { ...options.options, tools: known } : options.options;
        this.#first = { model, messages, options: given };
        signal?.addEventListener('abort', () => this.#end(signal.reason), { once: true });
        this.#link.connect(key);
    }

    /** Requests a reply to the user's words, and interrupts the running one. */
    ask(text, fields = {}) {
        return this.#request({ type: 'start', text, ...fields });
    }

    /** Speaks a given text. */
    say(text, fields = {}) {
        return this.#request({ type: 'say', text, ...fields });
    }

    /** The user talks over the bot, and has heard it up to this place. */
    interrupt(place) {
        const heard = place && clampPlace(place);
        if (heard) this.#noteHeard(heard);
        this.#stopReplies(heard);
        if (this.#replies.size === 0) return;
        this.#post({ type: 'interrupt', heard });
    }

    /** Continues the interrupted reply: the interruption was a false alarm. */
    resume(fields = {}) {
        return this.#request({ type: 'resume', ...fields });
    }

    heard(place) {
        const heard = clampPlace(place);
        if (!heard) return;
        this.#noteHeard(heard);
        this.#link.send({ type: 'heard', ...heard });
    }

    speaking(chunk, endsInMs) {
        this.#link.send({ type: 'speaking', chunk, ends_in_ms: endsInMs });
    }

    hearing(text, fields = {}) {
        this.#link.send({ type: 'hearing', text, ...fields });
    }

    /** Prepares the reply to what the user has probably said. */
    draft(text, fields = {}) {
        this.#drafted ??= this.#newTurn();
        this.#link.send({ type: 'draft', turn: this.#drafted, text, ...fields });
    }

    /** Requests a reply. If the draft is for the same words, the reply begins with it. */
    commit(text, fields = {}) {
        const turn = this.#drafted ?? this.#newTurn();
        return this.#request({ type: 'commit', turn, text, ...fields });
    }

    drop() {
        this.#link.send({ type: 'drop' });
    }

    /** Ends the session. */
    close() {
        this.#end(new VoiceError('closed', 'The session was closed'));
    }

    #newTurn() {
        return String(++this.#turns);
    }

    #noteTaken(chunk, text) {
        this.#unspoken.push({ chunk, text });
        this.#link.last = { chunk, text, speaking: true };
    }

    #noteHeard(place) {
        const of = this.#unspoken.find(({ chunk }) => chunk === place.chunk);
        if (!of || !this.#link.last?.speaking) return;
        this.#place = { ...place, text: of.text };
        if (of === this.#unspoken.at(-1)) this.#link.last = { ...this.#place, speaking: true };
    }

    #stopReplies(heard = this.#place) {
        this.#silence();
        this.#replies.forEach((reply) => reply.interrupt(heard));
    }

    // The voice will not speak the taken chunks to their end.
    #silence() {
        const [first] = this.#unspoken.splice(0);
        const place = this.#place ?? (first && { ...first, share: 0 });
        if (this.#link.last?.speaking && place) this.#link.last = place;
        this.#place = null;
    }

    #request(fields) {
        if (this.#failed) throw this.#failed;
        const late = isQuestion(fields) ? this.#calls.late : [];
        const message = tellBefore(late, { ...fields, turn: fields.turn ?? this.#newTurn() });
        if (!this.#link.canSend(message))
            throw new VoiceError('message_too_large', 'The gateway takes no message of this size');
        const reply = new Reply(message, {
            onTaken: (chunk, text) => this.#noteTaken(chunk, text),
            onSpoken: (chunk) => this.#spoken(chunk),
            onLeft: () => this.interrupt(),
        }, this.#chooseLookahead(message));
        if (isQuestion(message)) {
            this.#stopReplies();
            this.#drafted = null;
            reply.late = late;
            this.#calls.forgetLate(late);
        }
        this.#history.add(reply);
        this.#replies.set(message.turn, reply);
        this.#post(message);
        return reply;
    }

    // A resumed reply has the options of its question.
    #chooseLookahead(message) {
        const lookahead = message.options?.lookahead ?? this.#first.options?.lookahead;
        if (isQuestion(message)) this.#lookahead = lookahead;
        return message.type === 'resume' ? this.#lookahead : lookahead;
    }

    #spoken(chunk) {
        const at = this.#unspoken.findIndex((taken) => taken.chunk === chunk);
        const spoken = this.#unspoken.splice(0, at + 1).at(-1);
        this.#place = null;
        const isLast = spoken && this.#unspoken.length === 0 && this.#link.last;
        if (isLast) this.#link.last = { ...spoken, share: 1 };
        this.#link.send({ type: 'continue', chunk });
    }

    #post(message) {
        if (this.#link.send(message)) return;
        if (this.#waiting.length === mostWaiting) {
            const why = `${mostWaiting} messages wait for a connection`;
            this.#over(message.turn, new VoiceError('connection_lost', why));
        } else this.#waiting.push(message);
    }

    // --- the connection

    #anew() {
        this.#calls.beginSession();
        const messages = [...this.#first.messages, ...this.#history.messages()];
        this.#isAsking = ['user', 'tool'].includes(messages.at(-1)?.role);
        this.#told = this.#interruptedQuestions();
        return { ...this.#first, messages };
    }

    #ready({ resumed, turns = [] }) {
        const waiting = this.#waiting.splice(0);
        const isSent = ({ turn }) => !waiting.some((message) => message.turn === turn);
        const sent = [...this.#replies.values()].filter(isSent);
        if (resumed) {
            this.#calls.repeat();
            this.#reportHeard();
            this.#goOn(sent, turns);
            this.#sendWaiting(waiting);
        } else {
            this.#askAgain(sent);
            waiting.filter((it) => this.#isTaken(it)).forEach((it) => this.#link.send(it));
        }
    }

    /** Whether the application awaits the reply. */
    #isTaken({ turn }) {
        return this.#replies.has(turn);
    }

    // Questions that were interrupted before they were sent become one message.
    #sendWaiting(waiting) {
        const isLeft = (message) => isQuestion(message) && !this.#isTaken(message);
        const left = waiting.filter(isLeft);
        for (const message of waiting)
            if (message === left[0]) this.#leave(left);
            else if (!isLeft(message)) this.#link.send(message);
    }

    // History keeps the questions; nobody takes their replies.
    #leave(questions) {
        for (const question of joinQuestions(questions)) {
            this.#link.send(question);
            this.#link.send({ type: 'interrupt' });
        }
    }

    // Reports what was heard since the connection's first message reported a chunk as being spoken.
    #reportHeard() {
        const { sentLast, last } = this.#link;
        if (!sentLast?.speaking || !last) return;
        const { chunk, text, speaking, ...place } = last;
        if (place.share === 1) this.#link.send({ type: 'continue', chunk });
        else if (Object.keys(place).length > 0) this.#link.send({ type: 'heard', chunk, ...place });
    }

    /** turns: contains a turn once for each end that the gateway will send. */
    #goOn(replies, turns) {
        const endsOf = ({ turn }) => turns.filter((known) => known === turn).length;
        const open = replies.filter(({ isOver }) => !isOver);
        const goesOn = ({ isOver, turn }) => isOver && turns.includes(turn);
        // A gateway that knows a later request has also received the interrupt before it.
        if (replies.some(goesOn) && !open.some(endsOf)) this.#link.send({ type: 'interrupt' });
        this.#leave(lostQuestions(replies, turns));
        for (const reply of open) if (reply.isLost(endsOf(reply))) this.#link.send(reply.message);
        this.#forgetOver();
    }

    #interruptedQuestions() {
        const replies = [...this.#replies.values()].filter((it) => it.isOver && !it.isBegun);
        return replies.map(({ message }) => message).filter(isQuestion);
    }

    // The session is new to the gateway.
    #askAgain(replies) {
        const why = 'The gateway does not know the session any more; ask again';
        // History keeps what was asked after the first message, but nobody takes the replies.
        const left = this.#interruptedQuestions().filter((it) => !this.#told.includes(it));
        if (this.#isAsking) this.#link.send({ type: 'interrupt' });
        this.#leave(left);
        for (const reply of replies)
            if (reply.isBegun) reply.fail(new VoiceError('session_not_found', why));
            else if (!reply.isOver) {
                reply.isLost(1);
                this.#link.send(reply.message);
            }
        this.#forgetOver();
    }

    #lost() {
        this.#drafted = null;
        this.#replies.forEach((reply) => reply.lose());
    }

    // --- messages

    #take(message) {
        const reply = this.#replies.get(message.turn);
        if (['chunk', 'end'].includes(message.type)) this.#calls.noteReply(message.reply);
        if (message.type === 'chunk') reply?.take(message);
        else if (message.type === 'call_dropped') reply?.begin();
        else if (message.type === 'call') this.#call(message, reply);
        else if (message.type === 'end') this.#ended(message, reply);
        else if (message.type === 'error') this.#refused(message, reply);
    }

    #call(message, reply) {
        this.#calls.run(reply?.takeCall(message) ?? message, message.reply);
    }

    #ended(message, reply) {
        if (reply?.takeEnd(message)) this.#replies.delete(reply.turn);
    }

    #refused(error, reply) {
        if (error.code === 'unknown_call') return;
        if (error.param === 'content' && this.#calls.shorten(error.call)) return;
        if (error.reply !== undefined && reply?.takeEarlyEnd()) return;
        this.#over(error.turn, new VoiceError(error.code, error.message, error));
        // A rejected question interrupts nothing: interrupts here unless a later question is open.
        const others = [...this.#replies.values()];
        const isUnread =
            reply && !reply.isBegun && error.text === undefined && isQuestion(reply.message);
        // Denied words would be denied again. The listener may have interrupted the question.
        if (isUnread && error.code !== 'content_policy') this.#calls.tellAgain(reply.late);
        if (isUnread && reply.isRefused && others.every(({ isOver }) => isOver)) this.#post({ type: 'interrupt' });
    }

    #over(turn, error) {
        const reply = this.#replies.get(turn);
        this.#replies.delete(turn);
        if (reply) reply.fail(error);
        else this.#onError(error);
    }

    #forgetOver() {
        for (const [turn, reply] of this.#replies) if (reply.isOver) this.#replies.delete(turn);
    }

    #fail(error) {
        if (this.#replies.size === 0) this.#onError(error);
        this.#end(error);
    }

    #end(error) {
        if (this.#failed) return;
        this.#failed = error;
        this.#replies.forEach((reply) => reply.fail(error));
        this.#replies.clear();
        this.#link.close();
    }
}

/**
 * The interrupted questions that did not arrive, according to the `turns` of `ready`. If a later
 * request arrived, they did, too.
 */
function lostQuestions(replies, turns) {
    const last = replies.findLastIndex(({ turn, isBegun }) => turns.includes(turn) || isBegun);
    const isLost = ({ message, isOver }) => isOver && isQuestion(message);
    return replies.slice(last + 1).filter(isLost).map(({ message }) => message);
}

/** Begins a session, which connects and reconnects by itself. */
export const connect = (url, options = {}) => new Session(url, options);
