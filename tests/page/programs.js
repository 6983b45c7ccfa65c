// The programs that the page is tested with, and a wire between them that can be cut.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import readline from 'node:readline';

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

/** A port in front of another one, or of none, whose connections can be cut off. */
export async function wireTo(port) {
    let target = port;
    const sockets = new Set();
    const server = net.createServer((near) => {
        if (target === null) return near.destroy();
        const far = net.connect(target, '127.0.0.1');
        for (const [socket, other] of [
            [near, far],
            [far, near],
        ]) {
            sockets.add(socket);
            socket.pipe(other);
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
    return { port: server.address().port, cut, leadTo, stop };
}
