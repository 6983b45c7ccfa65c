// Connects the parts of the page.

import { Bubbles } from './bubbles.js';
import { isEcho } from './echo.js';
import { functions } from './functions.js';
import { KeyEntry } from './key_entry.js';
import { Link } from './link.js';
import { Listener } from './listener.js';
import { Speaker } from './speaker.js';
import { Talk } from './talk.js';
import { TimeLine } from './time_line.js';

const find = (id) => document.getElementById(id);
const words = find('words');
const status = find('status');
const voiceButton = find('voice');
const functionsButton = find('functions');
const listenButton = find('listen');
const goOnButton = find('go-on');
const interruptButton = find('interrupt');

let link = { state: 'connecting', detail: undefined };
let phase = { isRunning: false, isSpeaking: false, mayGoOn: false };

// --- the status line

const linkWords = {
    connecting: () => 'Connecting …',
    ready: (model) => (model ? `Connected to ${model}` : 'Connected'),
    waiting: ({ ms, why }) => `${why}; trying again in ${Math.max(1, Math.round(ms / 1000))} s`,
    key: () => 'A key is needed',
    stopped: ({ message }) => message,
};

// Speaking is not announced, because the user hears it.
function showStatus() {
    status.dataset.link = link.state;
    status.dataset.phase = phase.isSpeaking ? 'speaking' : phase.isRunning ? 'thinking' : 'idle';
    const text =
        link.state === 'ready' && listener.isOn && !phase.isRunning
            ? 'Listening'
            : linkWords[link.state](link.detail);
    if (status.textContent !== text) status.textContent = text;
}

function showPhase(next) {
    phase = next;
    const hadFocus = document.activeElement;
    interruptButton.disabled = !phase.isRunning;
    goOnButton.hidden = !phase.mayGoOn;
    // A hidden button would lose the keyboard focus.
    if (hadFocus === interruptButton && !phase.isRunning)
        (phase.mayGoOn ? goOnButton : words).focus();
    if (hadFocus === goOnButton && !phase.mayGoOn) words.focus();
    showStatus();
}

// --- the parts

const bubbles = new Bubbles({
    list: find('bubbles'),
    scroll: find('scroll'),
    empty: find('empty'),
    told: find('told'),
});
const timeLine = new TimeLine({ place: find('time-line'), figures: find('figures') });

const speaker = new Speaker({
    onNoVoice: () => {
        showVoice();
        bubbles.note('The browser does not speak here; replies go on without sound.');
    },
});

const socket = new Link(new URL('.', document.baseURI).href, {}, {
    opening: (session) => talk.opening(session),
    onReady: (message) => talk.ready(message),
    onMessage: (message) => talk.heard(message),
    onLost: () => talk.lost(),
    onLink: (state, detail) => {
        link = { state, detail };
        showStatus();
        if (state === 'key') keyEntry.ask(keyEntry.kept && detail.message);
        if (state === 'stopped') talk.stopped();
    },
});

const talk = new Talk({ socket, speaker, bubbles, timeLine, onPhase: (next) => showPhase(next) });

const isUser = (text) => !isEcho(text, speaker.recentText);

const listener = new Listener({
    onPartial: (text) => isUser(text) && talk.hear(text),
    onPause: (text) => isUser(text) && talk.draft(text),
    onFinal: (text, msAgo) => isUser(text) && !isStopped() && talk.say(text, msAgo),
    onChange: (fault) => {
        if (!listener.isOn) talk.dropDraft();
        listenButton.setAttribute('aria-pressed', String(listener.isOn));
        if (fault) bubbles.note(fault, true);
        showStatus();
    },
});

const keyEntry = new KeyEntry({
    dialog: find('key-entry'),
    form: find('key-form'),
    field: find('key'),
    fault: find('key-fault'),
    onKey: (key) => socket.connect(key),
});

// --- what the user does

// Words sent in this state would wait forever.
function isStopped() {
    const is = link.state === 'stopped';
    if (is) bubbles.note(`This was not sent: ${link.detail.message}`, true);
    return is;
}

function send() {
    const text = words.value.trim();
    if (!text || isStopped()) return;
    words.value = '';
    fitWords();
    speaker.unlock();
    talk.say(text);
}

function fitWords() {
    words.style.height = 'auto';
    words.style.height = `${words.scrollHeight + 2}px`;
}

// Screen readers read replies that the page does not speak.
function showVoice() {
    voiceButton.setAttribute('aria-pressed', String(!speaker.isMuted));
    voiceButton.disabled = !speaker.canSpeak;
    bubbles.isRead = speaker.isMuted;
}

find('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
});
words.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
});
words.addEventListener('input', fitWords);
document.addEventListener('keydown', (event) => event.key === 'Escape' && talk.interrupt());
interruptButton.addEventListener('click', () => talk.interrupt());
goOnButton.addEventListener('click', () => talk.goOn());
voiceButton.addEventListener('click', () => {
    speaker.isMuted = !speaker.isMuted;
    speaker.unlock();
    showVoice();
});
functionsButton.addEventListener('click', () => {
    const isOn = talk.functions.length === 0;
    talk.functions = isOn ? functions : [];
    functionsButton.setAttribute('aria-pressed', String(isOn));
});
find('anew').addEventListener('click', () => {
    talk.forget();
    socket.anew();
    words.focus();
});
listenButton.hidden = !Listener.isThere;
listenButton.addEventListener('click', () => {
    speaker.unlock();
    if (listener.isOn) listener.stop();
    else listener.start();
});

// --- begin

async function begin() {
    showVoice();
    // A phone shows the conversation first.
    if (matchMedia('(width < 60rem)').matches) find('time-line-panel').open = false;
    const gateway = await fetch('assets/gateway.json')
        .then((answer) => answer.json())
        .catch(() => ({}));
    if (gateway.keys && !keyEntry.kept) keyEntry.ask();
    else socket.connect(gateway.keys === false ? '' : keyEntry.kept);
}

begin();
