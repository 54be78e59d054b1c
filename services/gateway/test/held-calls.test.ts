import assert from 'node:assert/strict';
import { createLogger } from '@perch/runtime';
import { HeldCalls, isDraining, type HeldKind } from '../src/held-calls.js';

describe('held calls', () => {
  const heldCalls = (): HeldCalls =>
    new HeldCalls({ stillValid: async (keys) => keys.map(() => true) }, createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test' }));
  const endedAtOnce = (held: HeldCalls, kind: HeldKind): Promise<boolean> =>
    held.run('key', kind, new AbortController().signal, async (signal) => isDraining(signal.reason));

  it('that begin while the instance drains: polls end at once, waits go on until the drain is over, and then end at once too', async () => {
    const held = heldCalls();
    assert.deepEqual([await endedAtOnce(held, 'poll'), await endedAtOnce(held, 'wait')], [false, false]);
    held.endPolls();
    assert.deepEqual([await endedAtOnce(held, 'poll'), await endedAtOnce(held, 'wait')], [true, false]);
    held.endAll();
    assert.deepEqual([await endedAtOnce(held, 'poll'), await endedAtOnce(held, 'wait')], [true, true]);
    assert.deepEqual([held.count('poll'), held.count('wait')], [0, 0]);
  });
});
