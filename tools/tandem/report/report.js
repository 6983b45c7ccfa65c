// Zoom and pan for the timelines of a report. Text comes only from the page itself, and is inserted
// only as text, never as markup.
'use strict';

const mostZoom = 100;
// From this zoom on, there is room for the texts between the ticks.
const nearZoom = 5;

class TimeLine {
    #track;
    #svg;
    #duration;
    #zoom = 1;
    #told;
    #steps;
    #chosen = -1;

    constructor(track) {
        this.#track = track;
        this.#svg = track.querySelector('svg');
        this.#duration = Number(track.dataset.ms);
        this.#steps = [...track.querySelectorAll('.bar, .mark')];
        track.parentElement.before(this.#tools());
        track.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
        track.addEventListener('keydown', (event) => this.#key(event));
        track.addEventListener('pointerdown', (event) => this.#drag(event));
        track.addEventListener('pointermove', (event) => this.#point(event));
    }

    #tools() {
        const tools = document.createElement('div');
        tools.className = 'tools';
        this.#told = document.createElement('output');
        tools.append(
            this.#button('−', 'zoom out', () => this.zoomBy(0.5)),
            this.#button('1:1', 'show all', () => this.zoomTo(1)),
            this.#button('+', 'zoom in', () => this.zoomBy(2)),
            this.#told,
        );
        return tools;
    }

    #button(text, name, act) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = text;
        button.setAttribute('aria-label', name);
        button.title = name;
        button.addEventListener('click', act);
        return button;
    }

    zoomBy(factor, x = this.#track.clientWidth / 2) {
        this.zoomTo(this.#zoom * factor, x);
    }

    /** Keeps the content at `x` pixels of the track in place. */
    zoomTo(zoom, x = 0) {
        const at = (this.#track.scrollLeft + x) / this.#svg.clientWidth;
        this.#zoom = Math.min(Math.max(zoom, 1), mostZoom);
        this.#svg.style.width = `${this.#zoom * 100}%`;
        this.#svg.classList.toggle('is-near', this.#zoom >= nearZoom);
        this.#track.scrollLeft = at * this.#svg.clientWidth - x;
    }

    #wheel(event) {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const x = event.clientX - this.#track.getBoundingClientRect().left;
        this.zoomBy(Math.exp(-event.deltaY / 300), x);
    }

    #key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const acts = {
            '+': () => this.zoomBy(2),
            '=': () => this.zoomBy(2),
            '-': () => this.zoomBy(0.5),
            0: () => this.zoomTo(1),
            n: () => this.#choose(this.#chosen + 1),
            p: () => this.#choose(this.#chosen - 1),
        };
        const act = acts[event.key.toLowerCase()];
        if (!act) return;
        event.preventDefault();
        act();
    }

    #drag(event) {
        if (event.button !== 0 || event.pointerType === 'touch') return;
        const from = this.#track.scrollLeft + event.clientX;
        const move = (moved) => (this.#track.scrollLeft = from - moved.clientX);
        const stop = () => {
            this.#track.classList.remove('is-dragged');
            removeEventListener('pointermove', move);
        };
        this.#track.classList.add('is-dragged');
        addEventListener('pointermove', move);
        addEventListener('pointerup', stop, { once: true });
        addEventListener('pointercancel', stop, { once: true });
    }

    // Shows the event under the pointer, or the time if there is none.
    #point(event) {
        const step = event.target.closest('.bar, .mark');
        if (step) this.#tell(step);
        else this.#told.textContent = `${this.#timeAt(event.clientX).toFixed(1)} ms`;
    }

    #timeAt(x) {
        const box = this.#svg.getBoundingClientRect();
        return ((x - box.left) / box.width) * this.#duration * 1.01;
    }

    #tell(step) {
        const text = step.querySelector('title').textContent;
        this.#told.textContent = text.trim().replaceAll(/\s*\n\s*/g, ' · ');
    }

    #choose(i) {
        this.#steps[this.#chosen]?.classList.remove('is-chosen');
        this.#chosen = Math.min(Math.max(i, 0), this.#steps.length - 1);
        const step = this.#steps[this.#chosen];
        if (!step) return;
        step.classList.add('is-chosen');
        const box = step.getBoundingClientRect();
        const view = this.#track.getBoundingClientRect();
        if (box.left < view.left || box.left > view.right)
            this.#track.scrollLeft += box.left - view.left - view.width / 3;
        this.#tell(step);
    }
}

function showTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches('details')) {
        target.open = true;
        target.scrollIntoView();
    }
}

for (const track of document.querySelectorAll('.track')) new TimeLine(track);
for (const how of document.querySelectorAll('.how')) how.hidden = false;
addEventListener('hashchange', showTarget);
addEventListener('beforeprint', () => {
    for (const reply of document.querySelectorAll('.reply')) reply.open = true;
});
showTarget();
