/** code: the gateway's, or 'no_websocket', 'connection_lost', 'closed'. */
export class VoiceError extends Error {
    constructor(code, message, more = {}) {
        super(message);
        Object.assign(this, more, { name: 'VoiceError', code });
    }
}
