// Replaces the browser's speech synthesis and recognition. Runs in the page, before the page's scripts.
// The test ends each utterance. If `mode` is 'flowing', utterances end immediately. The mode 'broken'
// simulates a browser without voices.

export function fakeSpeech({ mode = 'stepped', hasEars = true, voices = [] }) {
    const spoken = [];
    let current = null;

    const tell = (utterance, type, fields = {}) =>
        utterance?.[`on${type}`]?.({ type, utterance, ...fields });
    const end = () => {
        const utterance = current;
        current = null;
        tell(utterance, 'end');
    };
    const begin = (utterance) => {
        if (utterance !== current) return;
        tell(utterance, 'start');
        if (mode === 'flowing') queueMicrotask(end);
    };

    class FakeUtterance {
        constructor(text) {
            this.text = text;
        }
    }
    const fake = {
        speaking: false,
        speak(utterance) {
            if (!utterance.text) return;
            if (mode === 'broken') return;
            current = utterance;
            spoken.push(utterance.text);
            queueMicrotask(() => begin(utterance));
        },
        cancel() {
            const utterance = current;
            current = null;
            queueMicrotask(() => tell(utterance, 'error', { error: 'interrupted' }));
        },
        getVoices: () => voices,
    };
    Object.defineProperty(window, 'speechSynthesis', { value: fake });
    window.SpeechSynthesisUtterance = FakeUtterance;

    const ears = { on: null };
    class FakeRecognition {
        start() {
            ears.on = this;
        }
        abort() {
            ears.on = null;
        }
    }
    window.SpeechRecognition = hasEars ? FakeRecognition : undefined;
    delete window.webkitSpeechRecognition;
    const hearAll = (transcripts, isFinal) =>
        ears.on.onresult({
            resultIndex: 0,
            results: transcripts.map((transcript) => Object.assign([{ transcript }], { isFinal })),
        });
    const hear = (transcript, isFinal) => hearAll([transcript], isFinal);
    const hearParts = (transcripts) => hearAll(transcripts, false);

    const reach = (charIndex) => tell(current, 'boundary', { name: 'word', charIndex });
    const how = () => ({ voice: current.voice?.name, lang: current.lang, rate: current.rate });
    const isSpeaking = () => current !== null;
    window.fake = { spoken, end, reach, hear, hearParts, how, isSpeaking };
}
