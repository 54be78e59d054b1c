import assert from 'node:assert/strict';
import { none } from '../src/faults/none.js';
import { Random } from '../src/random.js';
import { runChaos } from '../src/run.js';

function run(rounds: number, stopping: AbortSignal, onRound: () => void = () => undefined): ReturnType<typeof runChaos> {
  return runChaos({
    seed: new Random('a'),
    faults: [{ ...none, on: 'single' }],
    rounds: Array.from({ length: rounds }, (_, i) => i + 1),
    systems: 1,
    // Without redis-server no system starts.
    env: { PATH: '', PERCH_TEST_CACHE: '/nowhere' },
    mayContinue: () => true,
    stopping,
    onRound,
  });
}

describe('runChaos', () => {
  it('ends after a few failed starts of systems, and reports them', async () => {
    const { rounds, failures, missing, faults } = await run(1000, new AbortController().signal);
    assert.deepEqual([rounds, failures.length, missing, faults], [3, 3, ['none'], {}]);
    for (const { why } of failures) assert.match(why, /no redis-server/);
  });

  it('begins no further round after it was told to stop', async () => {
    const stop = new AbortController();
    const { rounds } = await run(1000, stop.signal, () => stop.abort());
    assert.equal(rounds, 1);
    assert.equal((await run(1000, stop.signal)).rounds, 0);
  });
});
