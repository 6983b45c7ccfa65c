// A bot that uses all of tandem-voice, for tsc alone.

import { connect, VoiceError } from 'tandem-voice';
import type { Chunk, Options, Place, Reply, Tool } from 'tandem-voice';

const book: Tool = {
    description: 'Books a table',
    parameters: { type: 'object', properties: { guests: { type: 'integer' } } },
    run: async ({ guests }: { guests: number }) => ({ booked: guests < 8 }),
};
const stop = new AbortController();
const options: Options = {
    key: 'tdm_key',
    model: 'talk',
    system: 'You are the voice of the Blue Heron.',
    tools: { book },
    options: { temperature: 0.5, pacing: 'auto' },
    signal: stop.signal,
    onError: (error) => error instanceof VoiceError && error.code,
    WebSocket,
};
const session = connect(new URL('https://localhost:8090'), options);

async function speak(reply: Reply): Promise<number | undefined> {
    for await (const chunk of reply) {
        const { id, speech, boundary }: Chunk = chunk;
        session.speaking(id, 1200);
        if (boundary === 'clause') session.heard({ chunk: id, words: speech.split(' ').length });
        chunk.spoken();
    }
    return reply.end?.finish_reason === 'eos' ? reply.end.usage.heard : undefined;
}

export async function talk(place: Place): Promise<void> {
    await speak(session.say('Good evening!', { history: false }));
    session.hearing('Do you have a ta', { stable: 13 });
    session.draft('Do you have a table?', { options: { max_tokens: 40 } });
    session.drop();
    await speak(session.commit('Do you have a table?', { match: 'exact', vad_stop_ms: 500 }));
    const filler = { after_ms: 800, texts: ['One moment.'] };
    const reply = session.ask('For four.', { turn: 't1', filler });
    session.interrupt(place);
    await speak(session.resume());
    try {
        await speak(reply);
    } catch (error) {
        if (error instanceof VoiceError && error.retryable) return stop.abort();
    }
    session.close();
}

// @ts-expect-error A place needs the part that was heard.
session.heard({ chunk: '1-0' });
// @ts-expect-error There is no such pacing.
session.ask('Hello!', { options: { pacing: 'slow' } });
