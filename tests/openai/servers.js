// Runs a mock server, and tandem serve in front of it, as separate processes on free ports.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const limit = 120_000; // in ms, for every wait

function programOf(variable) {
  const program = process.env[variable];
  if (!program) throw new Error(`${variable} must name the program to test`);
  return program;
}

/** Starts a program, and waits for the address in its first line of output. */
async function start(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${program} says nothing`)), limit);
    lines.once('line', (first) => {
      clearTimeout(timer);
      resolve(first);
    });
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    child.once('error', reject);
  });
  const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
  if (!url) throw new Error(`no address in: ${line}`);
  return { child, url };
}

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

export const keyOf = (name, more = {}) => ({
  name,
  sha256: createHash('sha256').update(`tdm_${name}`).digest('hex'),
  ...more,
});

const roles = ['user', 'assistant', 'tool', 'assistant'];

/**
 * Starts both servers. Each of `dialogues` is a user message and the mock server's answer. If the
 * answer is a call, its result and the answer to the result follow. `keys` are the entries of the key
 * file; without them, the gateway requires no key.
 */
export async function startGateway({ dialogues = [], keys, mockFlags = [], flags = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-openai-'));
  const dialogueFile = join(folder, 'dialogues.jsonl');
  const lines = dialogues.map((texts, i) =>
    JSON.stringify({
      id: `d${i}`,
      messages: texts.map((content, at) => ({ role: roles[at], content })),
    }),
  );
  writeFileSync(dialogueFile, lines.join('\n') + '\n');
  const access = [];
  if (keys) {
    const keyFile = join(folder, 'keys.json');
    writeFileSync(keyFile, JSON.stringify({ keys }), { mode: 0o600 });
    access.push('--keys', keyFile);
  }
  const started = [];
  const close = async () => {
    for (const server of started.reverse()) await stop(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const mock = await start(programOf('TANDEM_MOCK_SERVER'), [
      '--dialogues', dialogueFile, ...mockFlags,
    ]);
    started.push(mock);
    const gateway = await start(programOf('TANDEM_COMMAND'), [
      'serve', '--url', mock.url, '--proxy', 'none', '--listen', '127.0.0.1:0', '--model', 'talk',
      '--reuse-guard', '0', '--log-level', 'warning', ...access, ...flags,
    ]);
    started.push(gateway);
    return { url: `${gateway.url}/v1`, mock: mock.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until `isWanted` accepts the slots of the mock server; false on a timeout. */
export async function slotsBecome(mock, isWanted) {
  for (const end = Date.now() + limit; Date.now() < end; ) {
    const slots = await (await fetch(`${mock}/slots`)).json();
    if (isWanted(slots)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
