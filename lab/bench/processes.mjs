import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const cleanups = [];

/** Registers an action for the end of the bench, also after Ctrl-C. The last action runs first. */
export function onExit(action) {
  cleanups.push(action);
}

export async function cleanUp() {
  for (let action = cleanups.pop(); action; action = cleanups.pop()) {
    await Promise.resolve(action()).catch((error) => console.error(`While cleaning up: ${error.message}`));
  }
}

/** Starts a Node program that serves HTTP on a free port, and waits until it responds at `path`. */
export async function serve(program, { cwd, env, path }) {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd,
    env: { ...process.env, ...env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port) },
  });
  onExit(() => stop(child));
  const origin = `http://127.0.0.1:${port}`;
  const responds = async () => (await fetch(origin + path)).arrayBuffer();
  await until(responds, child, program);
  return { child, port, origin };
}

/** Calls `works` until it succeeds. @throws Error when the process has ended, or after a minute */
async function until(works, child, name) {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await works();
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}.`, { cause: error });
      if (Date.now() > end) throw new Error(`${name} has not responded for a minute.`, { cause: error });
    }
    await delay(50);
  }
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The kernel counts CPU time in these ticks (USER_HZ). There are 100 a second wherever Node runs on Linux. */
const ticksPerSecond = 100;

/**
 * Returns the CPU seconds of processes of this machine so far, by pid. The map is empty if the system has no `/proc`.
 */
export function cpuOf(pids) {
  return new Map(
    pids.flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The name of the program, in parentheses, may contain blanks. User and kernel time are fields 14 and 15.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [[pid, (Number(fields[11]) + Number(fields[12])) / ticksPerSecond]];
      } catch {
        return [];
      }
    }),
  );
}
