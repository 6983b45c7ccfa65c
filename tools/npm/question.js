// Requests for a reply to words of the user.

export const isQuestion = ({ type }) => ['start', 'commit'].includes(type);

/** The question after these messages. Only a `start` can contain them. */
export function tellBefore(told, question) {
    if (told.length === 0) return question;
    return { ...question, type: 'start', messages: [...told, ...(question.messages ?? [])] };
}

const wordsOf = ({ text = '', messages = [] }) =>
    text.trim() ? [...messages, { role: 'user', content: text }] : messages;

/**
 * One message with the words of all, because the gateway limits how many turns wait; none if there
 * are no words.
 */
export function joinQuestions(questions) {
    const messages = questions.flatMap(wordsOf);
    return messages.length > 0 ? [{ type: 'start', turn: questions.at(-1).turn, messages }] : [];
}
