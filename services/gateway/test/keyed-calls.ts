/** Calls of one robot under an Idempotency-Key, at two gateways that share a Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { callName } from '../src/idempotency/idempotent-calls.js';
import { useGateway, useOwner, type GatewayUnderTest, type Answer } from './gateway-under-test.js';

export const coffee = { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 };
/** Time for which a wait under a key continues without a client. */
export const outlivesMs = 2_500;

interface CallOptions {
  at?: GatewayUnderTest;
  signal?: AbortSignal;
  as?: string;
  apiKey?: string;
}

/** Each test has an owner and a key of its own. */
export function useKeyedCalls() {
  const system = useGateway({ outlivesMs });
  const other = useGateway({ outlivesMs });
  const owner = useOwner(system);
  let key: string;
  beforeEach(() => {
    key = randomUUID();
  });
  return {
    system,
    other,
    owner,
    get key(): string {
      return key;
    },
    renewKey(): void {
      key = randomUUID();
    },
    act(action: string, body: unknown, { at = system, signal, as = key, apiKey = owner.apiKey }: CallOptions = {}): Promise<Answer> {
      const path = `/v1/robots/${owner.robot}/${action}`;
      return at.ask('POST', path, { apiKey, body, headers: { 'idempotency-key': as }, ...(signal && { signal }) });
    },
    sentCommands(): string[] {
      return system.link.commands.map(({ command }) => command.name);
    },
    async callName(): Promise<string> {
      const admitted = await system.store.apiKeys.admit({ apiKey: owner.apiKey, cost: 0 });
      assert.ok(admitted.ok);
      return callName(admitted.keyHash, key);
    },
  };
}

export function replayed({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}
