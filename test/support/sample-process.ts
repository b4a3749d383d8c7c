import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };

export interface SampleOptions {
  /** `DATABASE_URL`, `DATA_DIR` and others. By default, a free port is used. */
  env: Readonly<Record<string, string>>;
  /** By default, the command of `npm start`. Its build must be there. */
  command?: string;
  /** The text that the process prints when it has started. */
  ready?: RegExp;
}

/** One run of the sample, or of another host, in its own process. The caller must end it. */
export class SampleProcess {
  readonly process: ChildProcess;
  /** The exit code; null after a kill. */
  readonly ended: Promise<number | null>;
  readonly started: Promise<void>;
  output = '';

  constructor({ env, command = scripts.start, ready: isReady = /nestjs-shipping \w+: \S+/ }: SampleOptions) {
    this.process = spawn(command, {
      shell: true,
      cwd: root,
      env: { ...process.env, DATABASE_URL: '', PORT: '0', NODE_ENV: 'production', ...env },
    });
    this.ended = once(this.process, 'close').then(([code]) => code as number | null);
    this.started = new Promise((ready, failed) => {
      const read = (chunk: Buffer): void => {
        this.output += chunk.toString();
        if (isReady.test(this.output)) ready();
      };
      this.process.stdout?.on('data', read);
      this.process.stderr?.on('data', read);
      void this.ended.then((code) => failed(new Error(`It ended with ${code}: ${this.output}`)));
    });
    this.started.catch(() => undefined);
  }

  static async start(options: SampleOptions): Promise<SampleProcess> {
    const sample = new SampleProcess(options);
    await sample.started;
    return sample;
  }

  get origin(): string {
    return /nestjs-shipping \w+: (\S+)/.exec(this.output)?.[1] ?? '';
  }

  get isAlive(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  /** @returns the exit code */
  stop(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.ended;
  }

  /** Resident memory, in MiB. */
  get residentMiB(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** Open files, sockets and pipes. */
  get handles(): number {
    return readdirSync(`/proc/${this.process.pid}/fd`).length;
  }
}
