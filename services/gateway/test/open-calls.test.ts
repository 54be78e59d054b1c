import assert from 'node:assert/strict';
import { createLogger } from '@perch/runtime';
import { OpenCalls, openCallKinds, isDraining, type OpenCallKind } from '../src/auth/open-calls.js';

describe('held calls', () => {
  const heldCalls = (): OpenCalls =>
    new OpenCalls({ stillValid: async (keys) => keys.map(() => true) }, createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test' }));
  const endedAtOnce = (held: OpenCalls, kind: OpenCallKind): Promise<boolean> =>
    held.run('key', kind, new AbortController().signal, async (signal) => isDraining(signal.reason));

  it('that begin while the instance drains: polls and streams end at once, waits go on until the drain is over, and then end at once too', async () => {
    const held = heldCalls();
    const ended = (): Promise<boolean[]> => Promise.all(openCallKinds.map((kind) => endedAtOnce(held, kind)));
    assert.deepEqual(openCallKinds, ['wait', 'poll', 'stream']);
    assert.deepEqual(await ended(), [false, false, false]);
    held.endReads();
    assert.deepEqual(await ended(), [false, true, true]);
    held.endAll();
    assert.deepEqual(await ended(), [true, true, true]);
    assert.deepEqual(
      openCallKinds.map((kind) => held.count(kind)),
      [0, 0, 0],
    );
  });
});
