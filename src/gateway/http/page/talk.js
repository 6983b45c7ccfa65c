// The dialogue: which chunk is spoken, what was heard, and the effect of an interrupt. Depends only
// on the protocol, not on the page or the network.

import { Draft } from './draft.js';
import { resultOf } from './functions.js';
import { newest } from './history.js';

export class Talk {
    #socket;
    #speaker;
    #bubbles;
    #timeLine;
    #settings;
    #onPhase;
    #draft;
    // Replies that have not ended, in order of arrival. The gateway returns `id` in every message
    // about the reply.
    #turns = [];
    #asked = 0;
    // {id, text} waiting for a connection.
    #waiting = [];
    // Calls without a result, by id: {message, row, lines}. Until its result arrives, a call
    // appears in the timelines of all replies.
    #calls = new Map();
    // The whole dialogue: {text} of the user, {bubble} of the bot.
    #said = [];
    // The interrupted turn, which the user may resume.
    #cut = null;
    // The turn that a lost connection interrupted; it is resumed on the next connection.
    #broken = null;
    #graceMs = 0;
    #graceTimer = 0;

    /**
     * onPhase({isRunning, isSpeaking, mayGoOn, call}) is called on each change; call: the function
     * whose result the bot waits for.
     */
    constructor({ socket, speaker, bubbles, timeLine, settings, onPhase }) {
        this.#socket = socket;
        this.#speaker = speaker;
        this.#bubbles = bubbles;
        this.#timeLine = timeLine;
        this.#settings = settings;
        this.#onPhase = onPhase;
        this.#draft = new Draft(socket);
    }

    get isRunning() {
        return this.#running !== undefined;
    }

    // --- what the user does

    /** The user has said `text`, and stopped `stoppedMsAgo` ago. */
    say(text, stoppedMsAgo) {
        this.#send('commit', text, stoppedMsAgo);
    }

    /** The user has typed `text`. */
    type(text) {
        this.#send('start', text, 0);
    }

    #send(type, text, stoppedMsAgo) {
        this.interrupt();
        this.#setCut(null);
        this.#bubbles.user(text);
        this.#said.push({ text });
        const { id } = this.#ask(this.#newBubble());
        const message = { type, ...this.#turnWith({ turn: id, text }) };
        message.user_stopped_ms_ago = Math.round(stoppedMsAgo);
        this.#draft.end();
        if (!this.#socket.send(message)) this.#waiting.push({ id, text });
    }

    /** What the user has said so far. */
    hear(text) {
        this.interrupt();
        this.#draft.hear(text);
    }

    /** The user has probably said this. */
    draft(text) {
        if (!this.isRunning)
            this.#draft.begin(this.#turnWith({ turn: String(this.#asked + 1), text }));
    }

    dropDraft() {
        this.#draft.drop();
    }

    interrupt() {
        const turn = this.#running;
        if (!turn) return;
        const chars = this.#speaker.stop();
        const message = { type: 'interrupt' };
        if (turn.chunk && chars !== null) message.heard = { chunk: turn.chunk.id, chars };
        this.#socket.send(message);
        turn.isCut = true;
        turn.piece?.cut();
        turn.line.interrupted();
        if (turn.piece) this.#setCut(turn);
        else turn.bubble.remove();
        // No reply follows calls without results.
        if ((turn.end || turn.awaitsResults) && this.#calls.size > 0) this.#over(turn, turn.end);
        this.#tellPhase();
    }

    /** Resumes the cut turn: the interruption was no barge-in. */
    goOn() {
        const cut = this.#cut;
        if (!cut || !this.#socket.isReady) return;
        const { id } = this.#ask(cut.bubble, { goesOn: true, hasCalled: cut.hasCalled });
        this.#setCut(null);
        this.#socket.send({ type: 'resume', turn: id });
    }

    /** Continues in a new session with the new settings. */
    renew() {
        if (this.#said.length > 0) this.#bubbles.note('The new settings apply from here on.');
        this.#socket.anew();
    }

    forget() {
        this.#speaker.stop();
        this.#turns = [];
        this.#waiting = [];
        this.#said = [];
        this.#broken = null;
        this.#setCut(null);
        this.#calls.clear();
        this.#bubbles.clear();
        this.#timeLine.clear();
        this.#tellPhase();
    }

    // --- what the connection does

    /** The first message of a connection. Without a session, it contains the dialogue so far. */
    opening(session) {
        const [first] = this.#waiting;
        if (session) return this.#turnWith({ session, turn: first?.id, text: first?.text });
        const { messages, ...fields } = this.#settings.session;
        const said = this.#history();
        const all = [...messages, ...said];
        if (all.length > 0) fields.messages = all;
        if (said.length === 0) return fields;
        return this.#turnWith({ ...fields, turn: this.#turns.at(-1)?.id });
    }

    ready({ resumed, limits }) {
        this.#graceMs = limits?.resume_grace_ms ?? 0;
        const waiting = this.#waiting.splice(0);
        if (!resumed) return this.#keepUnanswered();
        for (const { id, text } of waiting.slice(1))
            this.#socket.send({ type: 'start', ...this.#turnWith({ turn: id, text }) });
    }

    /** The connection is lost. Stops the voice: an unfinished chunk will be spoken again. */
    lost() {
        const turn = this.#running;
        this.#speaker.stop();
        this.#setCut(null);
        this.#broken = turn ?? null;
        this.#draft.end();
        if (!turn?.piece) return;
        turn.isCut = true;
        turn.line.interrupted();
        if (turn.chunk) turn.piece.hear(0);
        turn.piece.cut();
        if (turn.end) this.#over(turn, turn.end);
        this.#tellPhase();
    }

    /** There will be no more connections: the open questions stay unanswered. */
    stopped() {
        this.#waiting = [];
        this.#broken = null;
        this.#dropCalls();
        for (const turn of this.#turns.splice(0)) this.#close(turn);
    }

    heard(message) {
        const speaking = this.#turns.find((turn) => turn.end && !turn.isCut);
        if (message.type === 'call_dropped') this.#dropped(message.call, message.reason);
        else if (speaking && speaking.id === message.turn) speaking.held.push(message);
        else if (message.type === 'chunk') this.#chunk(message);
        else if (message.type === 'call') this.#called(message);
        else if (message.reply !== undefined) this.#ended(message);
        else if (message.type === 'error') this.#refused(message);
    }

    // --- turns

    get #running() {
        return this.#turns.findLast((turn) => !turn.isCut);
    }

    #newBubble() {
        const bubble = this.#bubbles.bot();
        this.#said.push({ bubble });
        return bubble;
    }

    #ask(bubble, { id = String(++this.#asked), goesOn = false, hasCalled = false } = {}) {
        const line = this.#timeLine.begin();
        const turn = { id, bubble, line, piece: null, chunk: null, isCut: false, goesOn };
        // `end`: the end message of a reply that called functions, while the reply's last chunk is
        // spoken; `held`: the messages that arrive after the end message.
        // `hasCalled`: the bubble is above calls.
        Object.assign(turn, { end: null, held: [], awaitsResults: false, hasCalled });
        this.#turns.push(turn);
        this.#tellPhase();
        return turn;
    }

    // Replies arrive in order, so all earlier ones have ended, even without a message.
    #turnOf(id) {
        const at = this.#turns.findIndex((turn) => turn.id === id);
        for (const over of this.#turns.splice(0, Math.max(at, 0))) this.#close(over);
        return at < 0 ? this.#goneOn(id) : this.#turns[0];
    }

    // After a lost connection, the gateway itself resumes the interrupted turn, with the same id.
    #goneOn(id) {
        for (const over of this.#turns.splice(0)) this.#close(over);
        const { bubble = this.#newBubble(), hasCalled } = this.#broken ?? {};
        this.#broken = null;
        return this.#ask(bubble, { id, goesOn: true, hasCalled });
    }

    #chunk(message) {
        const turn = this.#turnOf(message.turn);
        if (turn.goesOn) this.#place(turn, message);
        turn.piece = turn.bubble.add(message);
        turn.chunk = message;
        turn.line.chunk(message);
        if (turn.isCut) turn.piece.cut();
        else if (message.speech.trim()) this.#speak(turn, message);
        else this.#spoken(turn, message);
        this.#tellPhase();
    }

    // A turn that goes on repeats the rest of its words. If a reply to results follows in the same
    // reply, the rest is a filler; the reply belongs below the calls.
    #place(turn, chunk) {
        const isWhole = turn.piece ? turn.bubble.endsWithFiller : !turn.bubble.hasRest;
        if (!turn.piece) turn.bubble.dropRest();
        if (!turn.hasCalled || !isWhole || chunk.filler) return;
        turn.bubble = this.#newBubble();
        turn.hasCalled = false;
    }

    #speak(turn, chunk) {
        this.#bubbles.tell(chunk.speech);
        this.#speaker.speak(chunk.speech, {
            onStart: () => turn.line.speechBegan(chunk),
            onProgress: (chars) => turn.piece.hear(chars),
            onEnd: () => {
                turn.line.speechEnded();
                this.#spoken(turn, chunk);
            },
        });
    }

    #spoken(turn, chunk) {
        turn.chunk = null;
        turn.piece.hearAll();
        this.#socket.send({ type: 'continue', chunk: chunk.id });
        if (turn.end) this.#over(turn, turn.end);
        this.#tellPhase();
    }

    #ended(message) {
        const turn = this.#turnOf(message.turn);
        const hasCalled = message.finish_reason === 'tool_calls' && !turn.isCut;
        if (hasCalled && turn.chunk) turn.end = message;
        else this.#over(turn, message);
    }

    #over(turn, message) {
        this.#turns = this.#turns.filter((other) => other !== turn);
        if (message) this.#show(turn, message);
        this.#close(turn);
    }

    #show(turn, message) {
        turn.line.ended(message);
        if (message.finish_reason === 'tool_calls' && !turn.isCut) this.#awaitResults(turn);
        if (message.type === 'error') this.#bubbles.note(message.message, true);
        else if (message.finish_reason === 'length')
            this.#bubbles.note('The reply is as long as it may be.');
    }

    #close(turn) {
        turn.line.close();
        turn.bubble.end();
        this.#tellPhase();
    }

    // --- functions

    #called(message) {
        const turn = this.#turnOf(message.turn);
        if (turn.isCut) return;
        const row = this.#bubbles.call(message);
        turn.hasCalled = true;
        this.#calls.set(message.id, { message, row, lines: [turn.line] });
        turn.line.called(message);
        const result = resultOf(message);
        if (result === undefined) row.ask((text) => this.#answer(message.id, text));
        else this.#answer(message.id, result);
    }

    #answer(id, content) {
        if (this.#socket.send({ type: 'result', call: id, content })) this.#endCall(id, content);
    }

    #dropped(id, reason) {
        this.#endCall(id, `no result: ${reason}`);
    }

    #dropCalls() {
        for (const id of this.#calls.keys()) this.#dropped(id, 'interrupted');
    }

    #endCall(id, words) {
        const call = this.#calls.get(id);
        this.#calls.delete(id);
        call?.row.end(words);
        for (const line of call?.lines ?? []) line.answered(id, words);
    }

    // The reply to the results belongs to the same turn.
    #awaitResults(turn) {
        if (!turn.piece && !turn.goesOn) turn.bubble.remove();
        const next = this.#ask(this.#newBubble(), { id: turn.id });
        next.awaitsResults = true;
        for (const { message, lines } of this.#calls.values()) {
            next.line.called(message);
            lines.push(next.line);
        }
        for (const message of turn.held) this.heard(message);
    }

    // A rejected start has no reply.
    #refused(message) {
        this.#bubbles.note(message.message, true);
        const at = this.#turns.findIndex((turn) => turn.id === message.turn);
        for (const turn of at < 0 ? [] : this.#turns.splice(at, 1)) this.#close(turn);
    }

    // --- a session that is new to the gateway

    #keepUnanswered() {
        this.#dropCalls();
        const isAsked = this.#history().at(-1)?.role === 'user';
        const kept = isAsked ? this.#turns.splice(-1) : [];
        for (const turn of this.#turns.splice(0)) this.#close(turn);
        this.#turns = kept;
        this.#broken = null;
        this.#setCut(null);
    }

    #history() {
        const messages = this.#said
            .map(({ text, bubble }) =>
                bubble
                    ? { role: 'assistant', content: bubble.heardText }
                    : { role: 'user', content: text },
            )
            .filter(({ content }) => content.trim());
        return newest(messages);
    }

    #turnWith(fields) {
        const options = { ...fields.options, tools: this.#settings.tools };
        return { ...fields, timeline: true, options };
    }

    // --- the next possible actions

    #setCut(turn) {
        this.#cut = turn;
        clearTimeout(this.#graceTimer);
        if (turn) this.#graceTimer = setTimeout(() => this.#setCut(null), this.#graceMs);
        this.#tellPhase();
    }

    #tellPhase() {
        const turn = this.#running;
        this.#onPhase({
            isRunning: turn !== undefined,
            isSpeaking: Boolean(turn?.piece),
            mayGoOn: this.#cut !== null && turn === undefined && this.#socket.isReady,
            call: turn?.awaitsResults ? this.#calls.values().next().value?.message.name : undefined,
        });
    }
}
