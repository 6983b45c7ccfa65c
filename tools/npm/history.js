// The dialogue so far, for a gateway that no longer knows the session.

/** Small enough for one message to the gateway. */
export const mostChars = 50000;
const mostTurns = 1000;

/** Joins two texts that are not parts of the same reply of the gateway. */
export const joinTexts = (before, after) => `${before.trimEnd()} ${after.trimStart()}`.trim();

// A resumed reply continues the previous one.
function addMessage(said, message) {
    const last = said.at(-1);
    if (message.role !== 'assistant' || last?.role !== 'assistant') return [...said, message];
    const content = joinTexts(last.content, message.content);
    return [...said.slice(0, -1), { ...message, content }];
}

/** As many of the newest messages as are sure to fit into one message to the gateway. */
export function newest(messages) {
    let chars = 0;
    const charsIn = ({ content, tool_calls: calls }) =>
        content.length + (calls ? JSON.stringify(calls).length : 0);
    const isTooLong = (message) => (chars += charsIn(message)) > mostChars;
    let first = messages.findLastIndex(isTooLong) + 1;
    // No result comes without its call.
    while (messages[first]?.role === 'tool') first += 1;
    return messages.slice(first);
}

export class History {
    #replies = [];

    add(reply) {
        this.#replies.push(reply);
        if (this.#replies.length > mostTurns) this.#replies.shift();
    }

    /** The history, without questions that will be asked again. */
    messages() {
        const said = this.#replies
            .filter((reply) => reply.isBegun || (reply.isOver && !reply.isRefused))
            .flatMap(({ message, answer, late }) => {
                const words = message.type === 'say' ? '' : (message.text ?? '');
                const asked = words.trim() ? [...late, { role: 'user', content: words }] : [];
                return message.history === false ? asked : [...asked, ...answer];
            });
        return newest(said.reduce(addMessage, []));
    }
}
