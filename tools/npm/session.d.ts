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
    /** Runs the function. Its result is sent as text or as JSON, an exception as text. */
    run(given: any): unknown;
}

export interface Options {
    key?: string;
    model?: string;
    /** The system prompt. */
    system?: string;
    tools?: Record<string, Tool>;
    /** Options of all turns of the session. */
    options?: GenerationOptions;
    /** Aborting it ends the session and all waits. */
    signal?: AbortSignal;
    /** Receives the errors that belong to no reply; default: console.error. */
    onError?: (error: unknown) => void;
    /** For a Node.js without WebSocket, for example the class of the package ws. */
    WebSocket?: new (url: any, protocols: any) => any;
}

export type Chunk = ChunkMessage & {
    /**
     * Reports to the gateway that this chunk and all earlier ones were spoken. Without the option
     * lookahead, taking the next chunk does so, too.
     */
    spoken(): void;
};

/** Throws a VoiceError if the reply fails. Leaving the loop interrupts the reply. */
export interface Reply extends AsyncIterable<Chunk> {
    readonly turn: string;
    /** Set after the loop; null if the reply was interrupted or its end was lost. */
    readonly end: End | null;
}

type Fields<Message> = Partial<Omit<Message, 'type' | 'text' | 'session' | 'prompt'>>;

export interface Session {
    /** Requests a reply to the user's words, and interrupts the running one. */
    ask(text: string, fields?: Fields<Start>): Reply;
    /** Speaks a given text. */
    say(text: string, fields?: Fields<Say>): Reply;
    /** The user talks over the bot, and has heard it up to this place. */
    interrupt(heard?: Place): void;
    /** Continues the interrupted reply: the interruption was a false alarm. */
    resume(fields?: Fields<Resume>): Reply;
    heard(place: Place): void;
    speaking(chunk: string, endsInMs: number): void;
    /** Reports what the user has said so far. */
    hearing(text: string, fields?: Fields<Hearing>): void;
    /** Prepares the reply to what the user has probably said. */
    draft(text: string, fields?: Fields<Draft>): void;
    /** Requests a reply. If the draft is for the same words, the reply begins with it. */
    commit(text: string, fields?: Fields<Commit>): Reply;
    /** Drops the draft: the user continues to speak. */
    drop(): void;
    /** Ends the session. */
    close(): void;
}

export class VoiceError extends Error {
    /**
     * The gateway's code, or connect_failed, connection_lost, taken_over, invalid_api_key,
     * no_websocket or closed.
     */
    readonly code: string;
    readonly retryable: boolean;
    readonly retry_after_ms?: number;
    /** The invalid field. */
    readonly param?: string;
}

/** Begins a session, which connects and reconnects by itself. */
export function connect(url: string | URL, options?: Options): Session;
