import assert from 'node:assert/strict';
import { drainSessions } from '../src/connection/session-registry.js';
import type { Session } from '../src/session/session.js';

/** @param takesMs duration of each hand-over */
function sessions(count: number, takesMs: number): { list: Session[]; handedOverAt: number[] } {
  const handedOverAt: number[] = [];
  const list = Array.from({ length: count }, () => ({
    handOver: async () => {
      handedOverAt.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, takesMs));
    },
  })) as unknown as Session[];
  return { list, handedOverAt };
}

describe('drainSessions', () => {
  it('hands sessions over at least 5 ms apart on average, without waiting for one before the next', async () => {
    const { list, handedOverAt } = sessions(40, 150);
    const startedAt = performance.now();
    await drainSessions(list, 10_000);
    // A timer may fire up to 1 ms early.
    for (const [i, at] of handedOverAt.entries()) assert.ok(at - startedAt >= 5 * i - 2, `session ${i} after ${at - startedAt} ms`);
    assert.equal(handedOverAt.length, 40);
  });

  it('spreads many sessions over no more than half of the time to stop', async () => {
    const { list, handedOverAt } = sessions(200, 0);
    const startedAt = performance.now();
    await drainSessions(list, 400);
    assert.equal(handedOverAt.length, 200);
    assert.ok(handedOverAt[199]! - startedAt >= 195, `${handedOverAt[199]! - startedAt} ms`);
  });
});
