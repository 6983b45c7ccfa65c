// Detects whether the microphone picked up the page's own voice. Pure.

/** The words without case and punctuation. */
export const wordsOf = (text) =>
    text
        .toLowerCase()
        .normalize('NFKC')
        .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether the words are an echo of the page's speech, that is, most of them were just spoken. */
export function isEcho(heard, spoken) {
    const known = new Set(wordsOf(spoken));
    const got = wordsOf(heard);
    return got.filter((word) => known.has(word)).length > got.length * 0.6;
}
