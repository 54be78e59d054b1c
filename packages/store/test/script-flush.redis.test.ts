import assert from 'node:assert/strict';
import { needsRealRedis, redisUrl } from '@perch/testkit';
import { StoreError } from '../src/redis/errors.js';
import { closeStores, held, mastersOf, testAdmin, testRobot, testStore } from './fixtures.js';

const robotCount = 64;
const flushes = 1000;
/** Fewer than a robot may have in a second. */
const eventsEach = 30;

describe('scripts that Redis forgets', () => {
  const ended = new AbortController();
  after(async () => {
    ended.abort();
    await closeStores();
  });

  it('stores each event once or reports that it is not stored, also when SCRIPT FLUSH runs between the attempts of ioredis', async function () {
    needsRealRedis(this, await redisUrl(), 'SCRIPT FLUSH');
    const store = await testStore();
    const masters = mastersOf(await testAdmin());
    const robots = await Promise.all(Array.from({ length: robotCount }, () => testRobot(store)));
    const sessions = await Promise.all(robots.map((robot) => held(store, robot)));
    const flushing = (async () => {
      for (let i = 0; i < flushes; i++) await Promise.all(masters.map((master) => master.script('FLUSH')));
    })();
    const stored = await Promise.all(
      robots.map(async (robot, i) => {
        const { session, bootId } = sessions[i]!;
        let inSeq = 1;
        while (inSeq <= eventsEach && !ended.signal.aborted) {
          try {
            const appended = await store.events.append(robot, { session, bootId, inSeq, events: [{ name: 'tap', data: { inSeq } }] });
            if (appended.appended) inSeq += 1;
            else assert.fail(appended.why);
          } catch (error) {
            assert.ok(error instanceof StoreError, `${robot}: ${String(error)}`);
            assert.equal(error.fate, 'not_done');
          }
        }
        return robot;
      }),
    );
    await flushing;
    for (const robot of stored) {
      const { events } = await store.events.read(robot, {});
      assert.deepEqual(
        events.map(({ data }) => data['inSeq']),
        Array.from({ length: eventsEach }, (_, i) => i + 1),
      );
    }
  });
});
