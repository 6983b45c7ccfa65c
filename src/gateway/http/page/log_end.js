// Keeps the end of the conversation in sight, unless the reader has scrolled up.

const nearPx = 8;

export class LogEnd {
    #scroll;
    #button;
    #isAtEnd = true;
    #lastTop = 0;

    /** button: scrolls to the end; hidden while the end is in view. */
    constructor({ scroll, list, button }) {
        this.#scroll = scroll;
        this.#button = button;
        scroll.addEventListener('scroll', () => this.#scrolled());
        button.addEventListener('click', () => {
            scroll.focus();
            this.go();
        });
        const observer = new ResizeObserver(() => this.#isAtEnd && this.go());
        observer.observe(scroll);
        observer.observe(list);
    }

    go() {
        this.#isAtEnd = true;
        this.#button.hidden = true;
        this.#scroll.scrollTop = this.#scroll.scrollHeight;
    }

    // While text grows, the view is briefly not at the end. Only scrolling up leaves the end.
    #scrolled() {
        const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
        if (scrollHeight - scrollTop - clientHeight < nearPx) this.#isAtEnd = true;
        else if (scrollTop < this.#lastTop) this.#isAtEnd = false;
        this.#lastTop = scrollTop;
        this.#button.hidden = this.#isAtEnd;
    }
}
