/** The robot program as a process: its settings in a folder of its own, JSON lines to its stdin and from its stdout. */
import type { Fields } from '@perch/virtual-robot';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Micropython } from './find-micropython.js';

export interface ProcessEvents {
  /** `e` names the event. */
  reported(event: Fields): void;
  /** A line on stderr: an exception of the program. */
  failed(line: string): void;
  ended(): void;
}

/** Memory of the program, as on a chip with little of it, KB. */
const chipHeapKb = 1024;
const endsInMs = 1500;
export const robotProgram = fileURLToPath(new URL('../../../robots/micropython/main.py', import.meta.url));

export class RobotProcess {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** @param besideKb what lies in the heap here and not on a chip: stand-ins of a test, and buffers of TLS */
  constructor(micropython: Micropython, program: string, settings: Fields, besideKb: number, events: ProcessEvents) {
    this.#folder = mkdtempSync(join(tmpdir(), 'perch-micropython-'));
    writeFileSync(join(this.#folder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    const args = [...micropython.args, '-X', `heapsize=${chipHeapKb + besideKb}k`, program, this.#folder];
    this.#child = spawn(micropython.command, args, { stdio: 'pipe', env: { LC_ALL: 'C.UTF-8' } });
    this.#ended = once(this.#child, 'close').catch((error: unknown) => events.failed(String(error)));
    this.#child.stdin!.on('error', () => undefined);
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const event = read(line);
      if (event === null) events.failed(line);
      else events.reported(event);
    });
    createInterface({ input: this.#child.stderr! }).on('line', (line) => events.failed(line));
    void this.#ended.then(() => {
      rmSync(this.#folder, { recursive: true, force: true });
      events.ended();
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(control: Fields): void {
    if (this.#child.stdin!.writable) this.#child.stdin!.write(`${JSON.stringify(control)}\n`);
  }

  /** Closes the link with 1000 first, if there is one. */
  async stop(): Promise<void> {
    this.send({ c: 'stop' });
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), endsInMs);
    await this.#ended;
    clearTimeout(kill);
  }

  /** As a power cut. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Reads a file that an event names, and removes it. */
export function takeFile(path: unknown): Uint8Array {
  if (typeof path !== 'string') return new Uint8Array();
  const bytes = readFileSync(path);
  rmSync(path, { force: true });
  return bytes;
}

function read(line: string): Fields | null {
  try {
    const event = JSON.parse(line) as Fields;
    return typeof event['e'] === 'string' ? event : null;
  } catch {
    return null;
  }
}
