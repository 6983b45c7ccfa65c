// Functions that the model may call: the page answers one of them, and the user answers the other.

const described = (name, description, properties) => ({
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties } },
});

export const functions = [
    described('get_time', 'The time of day', {
        zone: { type: 'string', description: 'IANA name of the time zone' },
    }),
    described('book_table', 'Books a table at the restaurant', {
        guests: { type: 'integer' },
        time: { type: 'string' },
    }),
];

/** The result of a call; undefined if the user answers it. */
export function resultOf({ name, arguments: { zone } }) {
    if (name !== 'get_time') return undefined;
    try {
        return new Date().toLocaleTimeString('en', { timeStyle: 'short', timeZone: zone });
    } catch {
        return `There is no time zone ${zone}.`;
    }
}

/** A call as text. */
export const wordsOf = ({ name, arguments: given }) =>
    `${name} ${typeof given === 'string' ? given : JSON.stringify(given)}`;
