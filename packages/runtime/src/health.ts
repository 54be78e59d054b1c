import { withinMs } from './concurrency.js';

export const phases = ['starting', 'running', 'draining'] as const;
export type Phase = (typeof phases)[number];

export type Check = () => string | null | Promise<string | null>;

export interface Readiness {
  ready: boolean;
  phase: Phase;
  problems: Record<string, string>;
}

const checkMs = 1_000;

export class Health {
  phase: Phase = 'starting';
  readonly #checks = new Map<string, Check>();

  /** A check that throws or takes longer than a second counts as a problem. */
  addCheck(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  async readiness(): Promise<Readiness> {
    const problems: Record<string, string> = {};
    await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        const problem = await outcomeOf(check);
        if (problem !== null) problems[name] = problem;
      }),
    );
    return { ready: this.phase === 'running' && Object.keys(problems).length === 0, phase: this.phase, problems };
  }
}

async function outcomeOf(check: Check): Promise<string | null> {
  try {
    return await withinMs(check(), checkMs, () => `no answer within ${checkMs} ms`);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
