// Runs the programs for the page's tests, and a connection between them that tests can cut.

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import readline from 'node:readline';
import { Transform } from 'node:stream';

/** Runs a program until stop(). `line` is its first line of output, which contains its address. */
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

// Delays each piece by `ms`. The pieces of one direction stay in order.
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

/** Opens a port that forwards to another port, or to none. Tests can cut its connections. */
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
    /** Waits until the target has sent this text in one piece. The text has not yet arrived. */
    const carries = async (text) => {
        const signal = AbortSignal.timeout(15000);
        for (;;) {
            const [bytes] = await once(carried, 'bytes', { signal });
            if (bytes.includes(text)) return;
        }
    };
    return { port: server.address().port, cut, leadTo, carries, stop };
}
