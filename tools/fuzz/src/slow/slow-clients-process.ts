import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SlowClientsPlan, SlowClientsState } from './slow-clients.js';

/** Built also for tests of the source, as in tools/bench/src/worker.ts. */
const program = new URL('../slow-clients-main.js', import.meta.url.replace(/\/src\/(.+)\.ts$/, '/dist/$1.js'));

export class SlowClientsProcess {
  readonly #child: ChildProcess;

  constructor(plan: SlowClientsPlan) {
    this.#child = fork(fileURLToPath(program), [], { serialization: 'advanced', execArgv: [] });
    this.#child.send({ start: plan });
  }

  async readState(): Promise<SlowClientsState> {
    const answer = once(this.#child, 'message') as Promise<[SlowClientsState]>;
    this.#child.send({ readState: true });
    return (await answer)[0];
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
