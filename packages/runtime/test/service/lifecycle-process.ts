import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../programs/lifecycle-program.ts', import.meta.url));

export class Child {
  readonly process: ChildProcess;
  readonly lines: Record<string, any>[] = [];
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #text = '';
  #wake: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (this.#text + chunk).split('\n');
      this.#text = parts.pop() ?? '';
      this.lines.push(...parts.map((line) => JSON.parse(line)));
      this.#wake();
    });
    // Not 'close': Node does not emit it after a disconnect() with an unread message.
    this.ended = Promise.all([once(child, 'exit'), once(child.stdout!, 'end')]).then(([[code, signal]]) => {
      this.#wake();
      return { code, signal };
    });
  }

  get messages(): string[] {
    return this.lines.map((line) => line['msg']);
  }

  async logged(message: string): Promise<void> {
    while (!this.messages.includes(message)) {
      assert.equal(this.process.exitCode, null, `ended without "${message}": ${this.messages.join(', ')}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Suite of tests that start processes with a lifecycle, which are killed after each. */
export function onProcesses(
  name: string,
  tests: (at: { start: (behaviour?: string) => Child; ready: (behaviour?: string) => Promise<Child> }) => void,
): void {
  describe(name, () => {
    const children: Child[] = [];

    function start(behaviour = ''): Child {
      const child = new Child(fork(program, [behaviour], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }));
      children.push(child);
      return child;
    }
    async function ready(behaviour = ''): Promise<Child> {
      const child = start(behaviour);
      await child.logged('ready');
      return child;
    }
    afterEach(() => {
      for (const child of children.splice(0)) child.process.kill('SIGKILL');
    });
    tests({ start, ready });
  });
}
