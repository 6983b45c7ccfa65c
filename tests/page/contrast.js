/** The contrast between text and its background, as defined by WCAG 2. Runs in the page. */
export function contrast({ text, ground }) {
    const channels = (color) =>
        color
            .match(/[\d.]+/g)
            .slice(0, 3)
            .map(Number);
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = (color) => {
        const [r, g, b] = channels(color).map((channel) => linear(channel / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const style = (selector) => getComputedStyle(document.querySelector(selector));
    const [one, other] = [luminance(style(text).color), luminance(style(ground).backgroundColor)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
