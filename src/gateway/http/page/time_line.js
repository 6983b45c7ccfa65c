// Draws the timeline: a lane for each slot, and lanes for waits, cache, chunks and speech if there
// are any. Replies are side by side, with the running one on the right.

import { fitLabels, widthOf } from './time_line_labels.js';
import { TimeLineTurn } from './time_line_turn.js';

const pxPerMs = 0.08;
const laneHeight = 28;
const barHeight = 16;
const top = 24;
const turnGap = 28;
const leastTurn = 60;
const mostTurns = 40;
const labelGap = 8;
const nearPx = 80;

const laneNames = {
    wait: 'Waits',
    cache: 'Cache',
    chunk: 'Chunks',
    speech: 'Speech',
    call: 'Tools',
};
// The meaning of a bar, by its kind.
const meanings = {
    prefill: 'prompt',
    generate: 'generation',
    warming: 'warming',
    wait: 'waiting',
    cache: 'cached part of the prompt',
    chunk: 'chunk',
    gap: 'silence',
    speech: 'speech',
    call: 'tool',
    'cut-off': 'interrupted',
};
// Sorts slot 10 after slot 9.
const byNumbers = new Intl.Collator('en', { numeric: true });
const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

function svg(name, attributes = {}, text = '') {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
}

function html(name, className) {
    const made = document.createElement(name);
    made.className = className;
    return made;
}

// For example "slot:0:1".
function laneName(lane, isOneServer) {
    if (laneNames[lane]) return laneNames[lane];
    const [, server, slot] = lane.split(':');
    return isOneServer ? `Slot ${slot}` : `${server}: slot ${slot}`;
}

// For example "speech is-cut".
const kindOf = (bar) => bar.kind.split(' ')[0];

function legendEntry(kind) {
    const entry = html('li', '');
    entry.append(html('span', `swatch ${kind}`), meanings[kind]);
    return entry;
}

export class TimeLine {
    #labels = html('ol', 'lanes');
    #track = html('div', 'track');
    #svg = svg('svg', { role: 'img' });
    #place;
    #empty;
    #legend;
    #figures;
    #isAtEnd = true;
    #turns = [];
    #lanes = [];
    #count = 0;
    #timer = 0;

    /** empty: the element shown until the first reply. */
    constructor({ place, empty, legend, figures }) {
        this.#place = place;
        this.#empty = empty;
        this.#legend = legend;
        this.#figures = figures;
        this.#labels.setAttribute('aria-hidden', 'true');
        this.#track.tabIndex = 0;
        this.#track.setAttribute('role', 'region');
        this.#track.setAttribute('aria-label', 'Timeline, scrolls sideways');
        this.#track.append(this.#svg);
        place.append(this.#labels, this.#track);
        this.#track.addEventListener('scroll', () => this.#scrolled());
        new ResizeObserver(() => this.#settle()).observe(this.#track);
        this.clear();
    }

    clear() {
        this.#turns = [];
        this.#count = 0;
        this.#figures.clear();
        this.#draw();
    }

    /** Adds a reply; returns functions that report its events as they happen. */
    begin() {
        const turn = {
            model: new TimeLineTurn(performance.now()),
            group: svg('g'),
            number: ++this.#count,
            isDrawn: false,
            x: 0,
            width: 0,
        };
        this.#turns.push(turn);
        this.#turns.splice(0, this.#turns.length - mostTurns);
        const told =
            (method) =>
            (...what) => {
                turn.model[method](...what, performance.now());
                turn.isDrawn = false;
                this.#draw();
            };
        this.#draw();
        return {
            chunk: told('chunk'),
            speechBegan: told('speechBegan'),
            speechEnded: told('speechEnded'),
            interrupted: told('interrupted'),
            called: told('called'),
            answered: told('answered'),
            ended: (end) => {
                told('ended')(end);
                this.#figures.show(turn.number, end);
            },
            close: told('close'),
        };
    }

    // --- drawing

    #draw() {
        clearTimeout(this.#timer);
        const now = performance.now();
        for (const turn of this.#turns) if (!turn.isDrawn) turn.bars = turn.model.bars(now);
        this.#showWhatIsThere();
        const width = this.#arrange(now);
        const height = top + this.#lanes.length * laneHeight;
        for (const [key, value] of Object.entries({ width, height }))
            this.#svg.setAttribute(key, value);
        this.#svg.replaceChildren(
            this.#pattern(),
            ...this.#stripes(),
            ...this.#turns.map((turn) => turn.group),
        );
        this.#svg.setAttribute('aria-label', this.#summary());
        this.#settle();
        const isLive = this.#turns.some((turn) => turn.model.over === null);
        if (isLive) this.#timer = setTimeout(() => this.#draw(), isCalm.matches ? 1000 : 80);
    }

    #scrolled() {
        const { scrollWidth, scrollLeft, clientWidth } = this.#track;
        this.#isAtEnd = scrollWidth - scrollLeft - clientWidth < nearPx;
        fitLabels(this.#track, this.#turns);
    }

    // The running reply stays in view, unless the reader has scrolled back.
    #settle() {
        if (this.#isAtEnd) this.#track.scrollLeft = this.#track.scrollWidth;
        fitLabels(this.#track, this.#turns);
    }

    #showWhatIsThere() {
        const isEmpty = this.#turns.length === 0;
        this.#empty.hidden = !isEmpty;
        this.#place.hidden = isEmpty;
        this.#legend.hidden = isEmpty;
        const bars = this.#turns.flatMap((turn) => turn.bars);
        this.#setLanes(bars);
        this.#setLegend(bars);
    }

    #setLegend(bars) {
        const kinds = new Set(bars.map(kindOf));
        const entries = Object.keys(meanings).filter((kind) => kinds.has(kind));
        if (entries.length === this.#legend.childElementCount) return;
        this.#legend.replaceChildren(...entries.map(legendEntry));
    }

    // New lanes move the existing ones, so everything is redrawn.
    #setLanes(bars) {
        const slots = [
            ...new Set(bars.map(({ lane }) => lane).filter((lane) => lane.startsWith('slot:'))),
        ].sort(byNumbers.compare);
        const named = Object.keys(laneNames).filter((name) =>
            bars.some(({ lane }) => lane === name),
        );
        const lanes = [...slots, ...named];
        if (lanes.join() === this.#lanes.join()) return;
        this.#lanes = lanes;
        const isOneServer = slots.every((lane) => lane.startsWith('slot:0:'));
        this.#labels.replaceChildren(
            ...lanes.map((lane) => this.#label(laneName(lane, isOneServer))),
        );
        for (const turn of this.#turns) turn.isDrawn = false;
    }

    #label(text) {
        const made = html('li', '');
        made.textContent = text;
        return made;
    }

    /** Puts the turns side by side; returns their total width. */
    #arrange(now) {
        let x = 8;
        for (const turn of this.#turns) {
            const duration = ((turn.model.over ?? now) - turn.model.began) * pxPerMs;
            const ends = turn.bars.map((bar) => this.#endOf(bar, turn));
            turn.x = x;
            turn.width = Math.max(duration, leastTurn, ...ends);
            turn.group.setAttribute('transform', `translate(${x} 0)`);
            if (!turn.isDrawn)
                turn.group.replaceChildren(
                    ...this.#axis(turn, duration),
                    ...turn.bars.map((bar) => this.#bar(bar, turn)),
                );
            turn.isDrawn = turn.model.over !== null;
            x += turn.width + turnGap;
        }
        return Math.ceil(x);
    }

    #axis(turn, width) {
        const bottom = top + this.#lanes.length * laneHeight;
        const made = [
            svg('line', { class: 'turn', x1: 0, x2: 0, y1: 4, y2: bottom }),
            svg('text', { class: 'turn', x: 5, y: 14 }, `Reply ${turn.number}`),
        ];
        const step = 1000 * pxPerMs;
        for (let second = 1; second * step <= width; ++second) {
            made.push(
                svg('line', {
                    class: 'tick',
                    x1: second * step,
                    x2: second * step,
                    y1: top - 4,
                    y2: bottom,
                }),
            );
            if (second * step > leastTurn)
                made.push(svg('text', { class: 'tick', x: second * step, y: 14 }, `${second} s`));
        }
        return made;
    }

    #stripes() {
        return this.#lanes.map((_, i) =>
            svg('line', {
                class: 'lane',
                x1: 0,
                x2: '100%',
                y1: top + (i + 1) * laneHeight - 0.5,
                y2: top + (i + 1) * laneHeight - 0.5,
            }),
        );
    }

    #pattern() {
        const definitions = svg('defs');
        const pattern = svg('pattern', {
            id: 'hatch',
            width: 6,
            height: 6,
            patternUnits: 'userSpaceOnUse',
            patternTransform: 'rotate(45)',
        });
        pattern.append(
            svg('rect', { class: 'hatch-ground', width: 6, height: 6 }),
            svg('rect', { class: 'hatch-line', width: 2, height: 6 }),
        );
        definitions.append(pattern);
        return definitions;
    }

    #bar(bar, turn) {
        const x = (bar.from - turn.model.began) * pxPerMs;
        const width = Math.max((bar.to - bar.from) * pxPerMs, 2);
        const y = top + this.#lanes.indexOf(bar.lane) * laneHeight + (laneHeight - barHeight) / 2;
        const made = svg('g', { class: `bar ${bar.kind}` });
        made.append(svg('title', {}, bar.words), ...this.#shape(bar, x, y, width));
        if (bar.label && this.#hasRoom(bar, turn))
            made.append(svg('text', { x: x + labelGap, y: y + 12 }, bar.label));
        return made;
    }

    /** Where the bar's label ends; 0 without a label. */
    #endOf(bar, turn) {
        if (!bar.label) return 0;
        return (bar.from - turn.model.began) * pxPerMs + labelGap + widthOf(bar.label);
    }

    #hasRoom(bar, turn) {
        const next = turn.bars
            .slice(turn.bars.indexOf(bar) + 1)
            .find(({ kind }) => kind === bar.kind);
        const least = labelGap + widthOf(bar.label) + labelGap;
        return !next || (next.from - bar.from) * pxPerMs > least;
    }

    #shape(bar, x, y, width) {
        if (bar.kind === 'chunk')
            return [svg('rect', { x: x - 1.5, y: y - 2, width: 3, height: barHeight + 4 })];
        if (bar.kind === 'cache') {
            const filled = barHeight * bar.share;
            return [
                svg('rect', { class: 'whole', x: x - 4, y, width: 8, height: barHeight }),
                svg('rect', { x: x - 4, y: y + barHeight - filled, width: 8, height: filled }),
            ];
        }
        if (bar.kind === 'cut-off')
            return [svg('rect', { x: x - 1.5, y: y - 4, width: 3, height: barHeight + 8 })];
        if (bar.kind === 'gap')
            return [svg('rect', { x, y: y + barHeight / 2 - 1, width, height: 2 })];
        return [svg('rect', { x, y, width, height: barHeight, rx: 2 })];
    }

    #summary() {
        const turn = this.#turns.at(-1);
        if (!turn) return 'Nothing has happened yet.';
        const words = turn.bars.filter(({ kind }) => kind !== 'gap').map((bar) => bar.words);
        return `Reply ${turn.number}: ${words.slice(-8).join('; ') || 'no chunk yet'}`;
    }
}
