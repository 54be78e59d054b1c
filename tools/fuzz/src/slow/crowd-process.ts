/** Slow clients in a process of their own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CrowdPlan, CrowdState } from './crowd.js';

const sourceOrBuilt = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export class CrowdProcess {
  readonly #child: ChildProcess;

  constructor(plan: CrowdPlan) {
    this.#child = fork(fileURLToPath(new URL(`../slow-crowd-main${sourceOrBuilt}`, import.meta.url)), [], { serialization: 'advanced' });
    this.#child.send({ start: plan });
  }

  async look(): Promise<CrowdState> {
    const answer = once(this.#child, 'message') as Promise<[CrowdState]>;
    this.#child.send({ look: true });
    return (await answer)[0];
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
