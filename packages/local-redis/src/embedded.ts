/** The embedded Redis in a child process, for machines without a redis-server. It does not persist data. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { askRedis } from './ask-redis.js';
import type { LocalRedis } from './local-redis.js';

export interface EmbeddedRedisOptions {
  /** Unset or 0: any free port. */
  port?: number;
  keepsAlive?: boolean;
}

/** Listens on 127.0.0.1. @throws an Error that names the port if it is in use */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions = {}): Promise<LocalRedis> {
  const server = new EmbeddedRedis(options);
  await server.launch();
  return server;
}

const sourceOrBuilt = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const mainFile = fileURLToPath(new URL(`./embedded-main${sourceOrBuilt}`, import.meta.url));

class EmbeddedRedis implements LocalRedis {
  readonly kind = 'embedded';
  port: number;
  private readonly options: EmbeddedRedisOptions;
  private child: ChildProcess | null = null;
  private ended: Promise<void> = Promise.resolve();
  private endWanted = false;
  private crashed: (how: string) => void = () => {};

  constructor(options: EmbeddedRedisOptions) {
    this.options = options;
    this.port = options.port ?? 0;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get running(): boolean {
    return this.child !== null;
  }

  ask(words: readonly string[], options: { timeoutMs?: number } = {}): Promise<string> {
    return askRedis(this.port, words, options);
  }

  onCrash(report: (how: string) => void): void {
    this.crashed = report;
  }

  async launch(): Promise<void> {
    const child = fork(mainFile, [String(this.port)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
    this.child = child;
    this.endWanted = false;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (this.child === child) this.child = null;
        if (!this.endWanted) this.crashed(`the embedded Redis (pid ${child.pid}) exited with ${signal ?? `code ${code}`}`);
        resolve();
      });
    });
    this.port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message: { port?: number; error?: string }) => {
        if (message.port === undefined) reject(new Error(message.error ?? 'the embedded Redis did not start'));
        else resolve(message.port);
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the embedded Redis did not start (code ${code})`)));
    });
    if (this.options.keepsAlive === false) {
      child.unref();
      child.channel?.unref();
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child === null) return;
    const final = signal === 'SIGKILL' || signal === 'SIGTERM';
    if (final) this.endWanted = true;
    this.child.kill(signal);
    if (final) {
      this.child.ref();
      await this.ended;
    }
  }

  async restart(): Promise<void> {
    await this.kill('SIGKILL');
    await this.launch();
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM');
  }
}
