import assert from 'node:assert/strict';
import { createLogger } from '@perch/runtime';
import { isDraining } from '../src/calls/failures.js';
import { KeyValidity } from '../src/calls/key-validity.js';
import { OpenCalls, openCallKinds, type OpenCallKind } from '../src/calls/open-calls.js';

describe('OpenCalls', () => {
  const createCalls = (): OpenCalls =>
    new OpenCalls(
      new KeyValidity(
        { stillValid: async (keys) => keys.map(() => true), ownerOf: async () => null },
        { stillHave: async (passes) => passes.map(() => true) },
      ),
      createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test' }),
    );
  const endedAtOnce = (openCalls: OpenCalls, kind: OpenCallKind): Promise<boolean> =>
    openCalls.run({ keyHash: 'key' }, kind, new AbortController().signal, async (signal) => isDraining(signal.reason));

  it('ends polls and streams that begin during a drain at once, and waits only once the drain ends all calls', async () => {
    const openCalls = createCalls();
    const ended = (): Promise<boolean[]> => Promise.all(openCallKinds.map((kind) => endedAtOnce(openCalls, kind)));
    assert.deepEqual(openCallKinds, ['wait', 'poll', 'stream']);
    assert.deepEqual(await ended(), [false, false, false]);
    openCalls.endReads();
    assert.deepEqual(await ended(), [false, true, true]);
    openCalls.endAll();
    assert.deepEqual(await ended(), [true, true, true]);
    assert.deepEqual(
      openCallKinds.map((kind) => openCalls.count(kind)),
      [0, 0, 0],
    );
  });
});
