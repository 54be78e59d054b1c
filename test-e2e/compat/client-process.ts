/** A client of the bench in its own process (driver.mjs). */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { environmentOf, type Program } from './installed.js';

export interface Called {
  // oxlint-disable-next-line no-explicit-any -- answers of every tool
  answer: any;
  isError: boolean;
}

/** Longer than any client waits by itself. */
const answerWithinMs = 150_000;
/** Generators and compilers compute, beside whatever else the machine does. */
const convertedWithinMs = 600_000;

export class ClientProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<string, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #errors: string[] = [];
  #requests = 0;
  /** Requests of consent so far. */
  consents = 0;

  /** @param allow the user: returns the address to which the browser is sent back */
  constructor(program: Program, allow: (address: string) => Promise<string>) {
    this.#child = spawn(program.command, program.args, { cwd: program.cwd, env: environmentOf(program), stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => void this.#receive(line, allow));
    createInterface({ input: this.#child.stderr! }).on('line', (line) => {
      this.#errors.push(line);
      if (this.#errors.length > 8) this.#errors.shift();
    });
    const end = (why: string): void => {
      for (const { reject } of this.#open.values()) reject(new Error(`${why}: ${this.#errors.join(' / ').slice(-600)}`));
      this.#open.clear();
    };
    this.#child.once('error', ({ message }) => end(message));
    this.#child.once('close', (code, signal) => end(`the client ended with ${signal ?? `code ${code}`}`));
    this.#child.stdin!.on('error', () => undefined);
  }

  async #receive(line: string, allow: (address: string) => Promise<string>): Promise<void> {
    if (!line.startsWith('{')) return void this.#errors.push(line);
    const message = JSON.parse(line) as { id: string; allow?: string; result?: unknown; error?: string };
    if (message.allow !== undefined) {
      this.consents += 1;
      return this.#send({ id: message.id, do: 'allowed', address: await allow(message.allow) });
    }
    const open = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.error === undefined) open?.resolve(message.result);
    else open?.reject(new Error(`${message.error}${this.#errors.length > 0 ? ` [${this.#errors.join(' / ').slice(-600)}]` : ''}`));
  }

  #send(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  #request<T>(command: string, body: object = {}, withinMs = answerWithinMs): { id: string; result: Promise<T> } {
    this.#requests += 1;
    const id = `${this.#requests}`;
    const result = new Promise<T>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${command}`)), withinMs);
      const settled =
        <V>(settle: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(late);
          settle(value);
        };
      this.#open.set(id, { resolve: settled(resolve as (value: unknown) => void), reject: settled(reject) });
    });
    this.#send({ id, do: command, ...body });
    return { id, result };
  }

  connect(body: { url: string } & ({ key: string } | { folder: string; callback: string })): Promise<unknown> {
    return this.#request('connect', body).result;
  }

  list(): Promise<{ name: string }[]> {
    return this.#request<{ name: string }[]>('list').result;
  }

  convert<T>(body: object): Promise<T> {
    return this.#request<T>('convert', body, convertedWithinMs).result;
  }

  call(tool: string, args: object = {}): { result: Promise<Called>; cancel: () => Promise<unknown> } {
    const { id, result } = this.#request<Called>('call', { tool, args });
    return { result, cancel: () => this.#request('cancel', { call: id }).result };
  }

  /** Sets the client's clock forward. */
  later(ms: number): Promise<unknown> {
    return this.#request('later', { ms }).result;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    this.#request('close').result.catch(() => undefined);
    await ended;
    clearTimeout(late);
  }
}
