import type {
    Chunk as ChunkMessage,
    Commit,
    Draft,
    End,
    GenerationOptions,
    Hearing,
    HeardPlace,
    Resume,
    Say,
    Start,
} from './messages.js';

export * from './messages.js';

/** The part of a chunk that the user heard. */
export type Place = HeardPlace;

/** A function that the model may call. */
export interface Tool {
    description?: string;
    /** JSON schema of the arguments. */
    parameters?: Record<string, unknown>;
    /** The model replies before the function ends, and reads its result in the next turn. */
    later?: boolean;
    /** Its result is sent as text or as JSON; an exception as text. */
    run(given: any): unknown;
}

export interface Options {
    key?: string;
    model?: string;
    /** The system prompt. */
    system?: string;
    tools?: Record<string, Tool>;
    /** Of all turns of the session. */
    options?: GenerationOptions;
    /** Ends the session, and all waits. */
    signal?: AbortSignal;
    /** Gets the errors that belong to no reply; default: console.error. */
    onError?: (error: unknown) => void;
    /** For Node.js without its own, such as that of the package ws. */
    WebSocket?: new (url: any, protocols: any) => any;
}

export type Chunk = ChunkMessage & {
    /**
     * Tells the gateway that the chunk, and all before it, were spoken. Without the option
     * lookahead, taking the next chunk does so, too.
     */
    spoken(): void;
};

/** Throws a VoiceError if the reply fails. Leaving the loop interrupts the reply. */
export interface Reply extends AsyncIterable<Chunk> {
    readonly turn: string;
    /** After the loop; null if the reply was interrupted, or its end was lost. */
    readonly end: End | null;
}

type Fields<Message> = Partial<Omit<Message, 'type' | 'text' | 'session' | 'prompt'>>;

export interface Session {
    /** Asks for a reply to the user's words; it interrupts the running one. */
    ask(text: string, fields?: Fields<Start>): Reply;
    /** Speaks a text of the bot's own. */
    say(text: string, fields?: Fields<Say>): Reply;
    /** The user talks over the bot, which was heard up to this place. */
    interrupt(heard?: Place): void;
    /** Goes on with the interrupted reply: it was a false alarm. */
    resume(fields?: Fields<Resume>): Reply;
    heard(place: Place): void;
    speaking(chunk: string, endsInMs: number): void;
    /** What the user has said so far. */
    hearing(text: string, fields?: Fields<Hearing>): void;
    /** Prepares the reply to what the user has probably said. */
    draft(text: string, fields?: Fields<Draft>): void;
    /** Asks for a reply, which begins with the draft if that has the same words. */
    commit(text: string, fields?: Fields<Commit>): Reply;
    /** The user goes on speaking. */
    drop(): void;
    /** Ends the session. */
    close(): void;
}

export class VoiceError extends Error {
    /** The gateway's, or connection_lost, taken_over, invalid_api_key, no_websocket, closed. */
    readonly code: string;
    readonly retryable: boolean;
    readonly retry_after_ms?: number;
    /** The field that is wrong. */
    readonly param?: string;
}

/** Begins a session. It connects, and connects again, by itself. */
export function connect(url: string | URL, options?: Options): Session;
