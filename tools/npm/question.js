// Requests for a reply to words of the user.

export const isQuestion = ({ type }) => ['start', 'commit'].includes(type);

/** The question after these messages. Only a `start` can contain them. */
export function tellBefore(told, question) {
    if (told.length === 0) return question;
    return { ...question, type: 'start', messages: [...told, ...(question.messages ?? [])] };
}
