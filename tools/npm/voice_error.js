/** code: the gateway's code, or 'connection_lost', 'taken_over', 'no_websocket', 'closed'. */
export class VoiceError extends Error {
    constructor(code, message, { retryable = false, retry_after_ms, param } = {}) {
        super(message);
        Object.assign(this, { name: 'VoiceError', code, retryable, retry_after_ms, param });
    }
}
