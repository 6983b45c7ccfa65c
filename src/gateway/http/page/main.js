// Connects the parts of the page.

import { Bubbles } from './bubbles.js';
import { Drawer } from './drawer.js';
import { isEcho } from './echo.js';
import { Figures } from './figures.js';
import { KeyEntry } from './key_entry.js';
import { Link } from './link.js';
import { Listener } from './listener.js';
import { LogEnd } from './log_end.js';
import { Settings } from './settings.js';
import { Speaker } from './speaker.js';
import { Talk } from './talk.js';
import { TimeLine } from './time_line.js';

const find = (id) => document.getElementById(id);
const words = find('words');
const status = find('status');
const now = find('now');
const voiceButton = find('voice');
const listenButton = find('listen');
const turnButton = find('turn');

let link = { state: 'connecting', detail: undefined };
let phase = { isRunning: false, isSpeaking: false, mayGoOn: false, call: undefined };
let isUserSpeaking = false;

// --- the state in words

const linkWords = {
    connecting: () => 'Connecting …',
    ready: (model) => (model ? `Connected to ${model}` : 'Connected'),
    waiting: ({ ms, why }) => `${why}; trying again in ${Math.max(1, Math.round(ms / 1000))} s`,
    key: () => 'A key is needed',
    stopped: ({ message }) => message,
};

function showLink() {
    status.dataset.link = link.state;
    const text = linkWords[link.state](link.detail);
    if (status.textContent !== text) status.textContent = text;
}

/** Who speaks: [who, words, whether the page waits for them]. */
function speakerOf({ isRunning, isSpeaking, mayGoOn, call }) {
    if (link.state !== 'ready') return ['nobody', 'Not connected'];
    if (isUserSpeaking) return ['user', 'You are speaking'];
    if (call) return ['bot', `The bot waits for ${call}`, true];
    if (isSpeaking) return ['bot', 'The bot is speaking'];
    if (isRunning) return ['bot', 'The bot is thinking', true];
    if (listener.isOn) return ['user', 'Listening to you', true];
    return ['nobody', mayGoOn ? 'Interrupted' : 'Your turn'];
}

function showNow() {
    const [who, text, isWaiting = false] = speakerOf(phase);
    now.dataset.who = who;
    now.classList.toggle('is-waiting', isWaiting);
    if (now.textContent !== text) now.textContent = text;
}

function showPhase(next) {
    phase = next;
    const hadFocus = document.activeElement === turnButton;
    turnButton.textContent = phase.mayGoOn ? 'Go on' : 'Interrupt';
    turnButton.disabled = !phase.mayGoOn && !phase.isRunning;
    // A disabled button would lose the keyboard focus.
    if (hadFocus && turnButton.disabled) words.focus();
    showNow();
}

// --- the parts

const settings = new Settings();
const logEnd = new LogEnd({
    scroll: find('scroll'),
    list: find('bubbles'),
    button: find('to-end'),
});
const bubbles = new Bubbles({ list: find('bubbles'), end: logEnd, told: find('told') });
const timeLine = new TimeLine({
    place: find('time-line'),
    empty: find('no-reply'),
    legend: find('legend'),
    figures: new Figures(find('figures')),
});

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
        showLink();
        showNow();
        if (state === 'key') keyEntry.ask(keyEntry.kept && detail.message);
        if (state === 'stopped') talk.stopped();
    },
});

const talk = new Talk({
    ...{ socket, speaker, bubbles, timeLine, settings },
    onPhase: (next) => showPhase(next),
});

const isUser = (text) => !isEcho(text, speaker.recentText);

function showHearing(text) {
    isUserSpeaking = text !== '';
    bubbles.hearing(text);
    showNow();
}

function hear(text) {
    if (!text) talk.dropDraft();
    else if (isUser(text)) talk.hear(text);
    else return;
    showHearing(text);
}

function hearAll(text, msAgo) {
    showHearing('');
    if (isUser(text) && !isStopped()) talk.say(text, msAgo);
}

const listener = new Listener({
    onPartial: hear,
    onPause: (text) => isUser(text) && talk.draft(text),
    onFinal: hearAll,
    onChange: (fault) => {
        if (!listener.isOn) talk.dropDraft();
        listenButton.setAttribute('aria-pressed', String(listener.isOn));
        if (fault) bubbles.note(fault, true);
        showHearing('');
    },
});

const keyEntry = new KeyEntry({
    dialog: find('key-entry'),
    form: find('key-form'),
    field: find('key'),
    fault: find('key-fault'),
    onKey: (key) => socket.connect(key),
});

const drawer = new Drawer({
    dialog: find('drawer'),
    close: find('close-drawer'),
    settings,
    listModels: () => socket.models(),
    listVoices: () => speaker.voices,
    onChange: applyVoice,
    onSession: () => talk.renew(),
});

// --- what the user does

// Whether the connection has stopped for good, so that new messages would wait forever.
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
    talk.type(text);
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

function applyVoice() {
    speaker.voice = settings.get('voice');
    speaker.rate = Number(settings.get('rate')) || 1;
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
// In a dialog, Escape closes the dialog. In the form for a result, it does nothing.
document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.target.closest('dialog, .called')) talk.interrupt();
});
turnButton.addEventListener('click', (event) => {
    // The second click of a double click was meant for the previous state of the button.
    if (event.detail > 1) return;
    if (phase.mayGoOn) talk.goOn();
    else talk.interrupt();
});
voiceButton.addEventListener('click', () => {
    speaker.isMuted = !speaker.isMuted;
    settings.set('isMuted', speaker.isMuted);
    speaker.unlock();
    showVoice();
});
find('settings').addEventListener('click', () => drawer.open());
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
    speaker.isMuted = settings.get('isMuted');
    speaker.onVoices = () => drawer.showVoices();
    applyVoice();
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
