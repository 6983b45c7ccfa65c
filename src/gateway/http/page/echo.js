// Detects whether the microphone picked up the page's own voice. Pure.

const words = (text) =>
    text
        .toLowerCase()
        .normalize('NFKC')
        .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Browsers take their own speech for the user's: most words of an echo were just spoken. */
export function isEcho(heard, spoken) {
    const known = new Set(words(spoken));
    const got = words(heard);
    return got.filter((word) => known.has(word)).length > got.length * 0.6;
}
