/** Called by IPC; ends with its parent. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

export class Worker {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #count = 0;

  /** @param name path of its file, relative to `from`, without extension: `load/load-main` @param execArgv options of Node.js */
  constructor(name: string, from: string = import.meta.url, execArgv: string[] = []) {
    // Also for tests of the source: to load TypeScript takes longer than most of what they let a worker do.
    const built = from.replace(/\/src\/(.+)\.ts$/, '/dist/$1.js');
    const child = fork(fileURLToPath(new URL(`./${name}.js`, built)), [], { serialization: 'advanced', execArgv });
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.on('message', (answer: Answer) => {
      const asked = this.#asked.get(answer.id);
      this.#asked.delete(answer.id);
      if (answer.error === undefined) asked?.resolve(answer.result);
      else asked?.reject(new Error(`${name}: ${answer.error}`));
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        for (const { reject } of this.#asked.values()) reject(new Error(`${name} ended with ${signal ?? `code ${code}`}`));
        this.#asked.clear();
        resolve();
      });
    });
  }

  /** @throws what the handler threw, or if the process ends */
  ask<T>(handler: string, ...args: unknown[]): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) {
        reject(new Error('the process is gone'));
        return;
      }
      const id = ++this.#count;
      this.#asked.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.send({ id, handler, args });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000);
    await this.#ended;
    clearTimeout(timer);
  }
}

type Handlers = Record<string, (...args: never[]) => unknown>;

export function serve(handlers: Handlers): void {
  process.on('message', ({ id, handler, args }: { id: number; handler: string; args: never[] }) => {
    void answer(handlers, handler, args).then((answered) => {
      if (process.connected) process.send?.({ id, ...answered });
    });
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group; the parent stops this process.
  process.on('SIGINT', () => {});
}

async function answer(handlers: Handlers, handler: string, args: never[]): Promise<Omit<Answer, 'id'>> {
  try {
    return { result: await handlers[handler]!(...args) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
