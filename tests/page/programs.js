// The programs that the page is tested with, and a wire between them that can be cut.

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import readline from 'node:readline';
import { Transform } from 'node:stream';

/** Runs until stop(); `line` is the first one of its stdout, which tells where it listens. */
export async function run(program, args) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = once(child, 'exit');
    process.on('exit', () => child.kill('SIGKILL'));
    const lines = readline.createInterface({ input: child.stdout });
    const [line] = await Promise.race([
        once(lines, 'line'),
        gone.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
    ]);
    const stop = async () => {
        child.kill('SIGKILL');
        await gone;
        lines.close();
    };
    return { line, stop, port: Number(/:(\d+)(?=[,/]|$)/.exec(line)[1]) };
}

// Each piece comes so much later; those of one direction stay in their order.
const delayedBy = (ms) =>
    new Transform({
        transform(bytes, _, done) {
            done();
            setTimeout(() => this.push(bytes), ms);
        },
        flush(done) {
            setTimeout(done, ms);
        },
    });

/** A port in front of another one, or of none, whose connections can be cut off. */
export async function wireTo(port, { latencyMs = 0 } = {}) {
    let target = port;
    const sockets = new Set();
    const carried = new EventEmitter();
    const server = net.createServer((near) => {
        if (target === null) return near.destroy();
        const far = net.connect(target, '127.0.0.1');
        far.on('data', (bytes) => carried.emit('bytes', bytes));
        for (const [socket, other] of [
            [near, far],
            [far, near],
        ]) {
            sockets.add(socket);
            (latencyMs ? socket.pipe(delayedBy(latencyMs)) : socket).pipe(other);
            socket.on('error', () => {});
            socket.on('close', () => {
                sockets.delete(socket);
                other.destroy();
            });
        }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const cut = () => sockets.forEach((socket) => socket.destroy());
    const leadTo = (other) => {
        target = other;
        cut();
    };
    const stop = () => {
        server.close();
        cut();
    };
    /** Waits until the target has sent this text, in one piece; it has not arrived then. */
    const carries = async (text) => {
        const signal = AbortSignal.timeout(15000);
        for (;;) {
            const [bytes] = await once(carried, 'bytes', { signal });
            if (bytes.includes(text)) return;
        }
    };
    return { port: server.address().port, cut, leadTo, carries, stop };
}
