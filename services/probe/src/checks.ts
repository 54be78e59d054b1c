/** What the probe does at Perch. Anything but the expected answer is a failure: a user would see it, whoever is at fault. */
import { randomInt } from 'node:crypto';
import { Perch } from '@perch/client';
import { CheckFailed } from './check.js';
import type { ProbeConfig } from './config.js';
import { freshFetch } from './fresh-fetch.js';
import type { ProbeRobot } from './probe-robot.js';

const answers = ['Yes', 'No'];

export class Checks {
  readonly #config: Pick<ProbeConfig, 'baseUrl' | 'apiKey' | 'timeoutMs'>;
  readonly #robot: Pick<ProbeRobot, 'ready'>;
  #robotId: string | null = null;

  constructor(config: Pick<ProbeConfig, 'baseUrl' | 'apiKey' | 'timeoutMs'>, robot: Pick<ProbeRobot, 'ready'>) {
    this.#config = config;
    this.#robot = robot;
  }

  /** A call that needs the balancer, a gateway and Redis: the list of the key's robots. */
  async call(signal: AbortSignal): Promise<void> {
    const { robots } = await this.#perch().listRobots({ limit: 1, signal });
    this.#robotId = robots[0]?.id ?? null;
    if (this.#robotId === null) throw new CheckFailed('no_robot', 'the API key has no robot; perch probe add makes both');
  }

  /** A question that the probe's robot answers: it needs a gateway, a renderer, a robot-link and Redis. */
  async question(signal: AbortSignal): Promise<void> {
    await this.#robot.ready(signal);
    if (this.#robotId === null) await this.call(signal);
    // A text that was drawn before needs no renderer.
    const question = `Probe ${randomInt(1e6).toString().padStart(6, '0')}?`;
    const timeout_s = Math.max(1, Math.ceil(this.#config.timeoutMs / 1000));
    const { outcome, answer } = await this.#perch().robot(this.#robotId!).ask({ question, answers, timeout_s }, { signal });
    if (outcome !== 'answered' || answer === null || !answers.includes(answer))
      throw new CheckFailed(outcome === 'answered' ? 'wrong_answer' : outcome, `the question was not answered: ${outcome}, ${String(answer)}`);
  }

  /** Returns a client of one check, which shares neither connections nor limits with earlier ones. A repeated call would hide that the first one failed. */
  #perch(): Perch {
    const { baseUrl, apiKey } = this.#config;
    return new Perch({ baseUrl, apiKey, fetch: freshFetch, maxRetries: 0 });
  }
}
