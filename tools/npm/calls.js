// The functions that the model calls, and their results.

import { mostChars } from './history.js';

// What the model reads instead of a result.
const tooLarge = 'Error: the result is too large';

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** What the gateway itself writes about a late result. */
function lateMessage({ name, arguments: given }, content) {
    const about = `Result of ${name} ${JSON.stringify(given)}: `;
    const isLong = about.length + content.length > mostChars;
    return { role: 'user', content: about + (isLong ? tooLarge : content) };
}

export class Calls {
    #tools;
    #link;
    #sessions = 0;
    // {of, message}: results of the calls of the gateway's reply `of`; it may lack them.
    #results = [];
    // What the next question tells about calls of earlier sessions.
    #late = [];

    constructor(tools, link) {
        this.#tools = tools;
        this.#link = link;
    }

    /** The functions, for the options of the session. */
    get described() {
        return Object.entries(this.#tools).map(([name, { description, parameters }]) => ({
            type: 'function',
            function: { name, description, parameters },
        }));
    }

    /** The next gateway has only the history, so it knows no calls. */
    beginSession() {
        this.#sessions += 1;
        this.#results = [];
    }

    /** A reply of the gateway follows the results of earlier ones. */
    noteReply(number) {
        this.#results = this.#results.filter(({ of }) => of === number);
    }

    /** Sends the results that the gateway may lack. */
    repeat() {
        for (const { message } of this.#results) this.#link.send(message);
    }

    /**
     * Runs the function. call: it takes its last message with a result as `result`. of: the
     * gateway's reply.
     */
    async run(call, of) {
        const session = this.#sessions;
        const give = (result) => this.#give(call, of, result);
        const content = await this.#resultOf(call, () => give({ later: true }));
        // Sends the result even after an interrupt, because the function has had its effect. The
        // gateway of another session does not know the call.
        if (session === this.#sessions) give({ content, keep: true });
        else this.#late.push(lateMessage(call, content));
    }

    /** The total size of a reply's results is limited, too. Returns false if the result is short. */
    shorten(id) {
        const isLong = ({ call, content = tooLarge }) => call === id && content !== tooLarge;
        const message = this.#results.map((result) => result.message).find(isLong);
        if (!message) return false;
        message.content = tooLarge;
        this.#link.send(message);
        return true;
    }

    /** The next question's messages about calls of earlier sessions: as many as are sure to fit. */
    get late() {
        let chars = 0;
        const end = this.#late.findIndex(({ content }) => (chars += content.length) > mostChars);
        return end < 0 ? [...this.#late] : this.#late.slice(0, end);
    }

    forgetLate(told) {
        this.#late.splice(0, told.length);
    }

    tellAgain(refused) {
        this.#late.unshift(...refused);
    }

    async #resultOf({ name, arguments: given }, onLater) {
        try {
            if (!Object.hasOwn(this.#tools, name)) throw new Error(`there is no function ${name}`);
            const tool = this.#tools[name];
            if (tool.later) onLater();
            return textOf(await tool.run(given));
        } catch (error) {
            return `Error: ${error?.message ?? error}`;
        }
    }

    // Without a connection, the message is sent on the next connection.
    #give(call, of, result) {
        const message = { type: 'result', call: call.id, ...result };
        if (!this.#link.canSend(message)) message.content = tooLarge;
        call.result = message;
        this.#results.push({ of, message });
        this.#link.send(message);
    }
}
