/** Finds elements that are wider than their place, or make the page scroll. Runs in the page. */
export function overflow() {
    const { scrollWidth, scrollHeight } = document.scrollingElement;
    const found = [];
    if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} px wide`);
    if (scrollHeight > innerHeight) found.push(`the page is ${scrollHeight} px high`);
    const isLabelAlone = ({ position, width }) => position === 'absolute' && width === '1px';
    for (const element of document.querySelectorAll('body *:not(.track *, svg *)')) {
        const style = getComputedStyle(element);
        if (!element.checkVisibility() || isLabelAlone(style)) continue;
        const name = `${element.localName}#${element.id}.${element.className}`;
        const { left, right } = element.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) found.push(`${name} leaves the page`);
        const isBox = style.display !== 'inline' && style.overflowX === 'visible';
        if (isBox && element.scrollWidth > element.clientWidth + 1)
            found.push(`${name} has more than it shows`);
    }
    return found;
}
