/** Calls of one robot under an Idempotency-Key, at two gateways that share a Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { callName } from '../src/idempotency/idempotency-key.js';
import { commandAnswers } from './command-answers.js';
import { TestSystem, type Answer, type Owner } from './test-system.js';

export const coffee = { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 };
/** Time for which a wait under a key continues without a client. */
export const outlivesMs = 2_500;

export class KeyedCalls {
  readonly system: TestSystem;
  readonly other: TestSystem;
  owner!: Owner;
  key!: string;

  private constructor(system: TestSystem, other: TestSystem) {
    this.system = system;
    this.other = other;
  }

  static async start(): Promise<KeyedCalls> {
    return new KeyedCalls(await TestSystem.start({ outlivesMs }), await TestSystem.start({ outlivesMs }));
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await this.other.stop();
  }

  async renew(): Promise<void> {
    this.owner = await this.system.ownerOnline();
    this.key = randomUUID();
    const { link } = this.system;
    link.answer = commandAnswers;
    link.onWait = () => {};
    for (const list of [link.commands, link.waits, link.waitEnds]) list.length = 0;
  }

  act(
    action: string,
    body: unknown,
    {
      at = this.system,
      signal,
      as = this.key,
      apiKey = this.owner.apiKey,
    }: { at?: TestSystem; signal?: AbortSignal; as?: string; apiKey?: string } = {},
  ): Promise<Answer> {
    const path = `/v1/robots/${this.owner.robot}/${action}`;
    return at.ask('POST', path, { apiKey, body, headers: { 'idempotency-key': as }, ...(signal && { signal }) });
  }

  sentCommands(): string[] {
    return this.system.link.commands.map(({ command }) => command.name);
  }

  async callName(): Promise<string> {
    const admitted = await this.system.store.apiKeys.admit({ apiKey: this.owner.apiKey, cost: 0 });
    assert.ok(admitted.ok);
    return callName(admitted.keyHash, this.key);
  }
}

export function replayed({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}
