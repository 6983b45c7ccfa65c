// Keeps the edges of the view from cutting labels of the timeline.

const pxPerChar = 7;
const margin = 5;

/** The approximate width of a label. */
export const widthOf = (text) => text.length * pxPerChar;

const isWithin = (box, view) => box.left >= view.left && box.right <= view.right;
const areApart = (one, other) =>
    one.right + margin < other.left || other.right + margin < one.left;

// The name of a reply stays in view while part of the reply is in view.
function moveName({ group, x, width }, left) {
    const name = group.querySelector('text.turn');
    const most = Math.max(width - widthOf(name.textContent), margin);
    name.setAttribute('x', Math.min(Math.max(left - x + margin, margin), most));
}

/** Moves the names of the replies, and hides labels that would be cut or overlap a name. */
export function fitLabels(track, turns) {
    for (const turn of turns) moveName(turn, track.scrollLeft);
    const view = track.getBoundingClientRect();
    const labels = turns.flatMap(({ group }) => {
        const name = group.querySelector('text.turn').getBoundingClientRect();
        return [...group.querySelectorAll('text')].map((label) => {
            const box = label.getBoundingClientRect();
            const isFree = !label.matches('.tick') || areApart(box, name);
            return { label, isShown: isFree && isWithin(box, view) };
        });
    });
    for (const { label, isShown } of labels)
        label.setAttribute('visibility', isShown ? 'visible' : 'hidden');
}
