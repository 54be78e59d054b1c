import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needsRedisServer, redisProcess, type LocalRedis } from '@perch/testkit';
import { makeFleet } from '../fixture/robots/fleet.js';
import { SystemUnderTest, type Tenant } from '../fixture/system/system-under-test.js';

const reader = fileURLToPath(new URL('../programs/read-lists.mjs', import.meta.url));

const robotCount = 10_000;
const listCount = 20;

describe('long lists of robots (1 gateway, 1 robot-link, 1 renderer on their own Redis)', function () {
  this.timeout(180_000);
  let redis: LocalRedis;
  let system: SystemUnderTest;
  let fleet: Tenant;
  let neighbour: Tenant;
  let robot: string;

  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1 }, { redis: redis.url });
    [fleet, neighbour] = [await system.tenant(), await system.tenant()];
    await makeFleet(system.store, fleet.account, robotCount);
    robot = (await neighbour.robot({ instant: true })).id;
  });
  after(async () => {
    await system?.close();
    await redis?.stop();
  });

  /** Times actions of another account, up to 8 a second, until `ended` settles. @returns ms of each, ascending; Infinity for one that failed */
  async function timeActions(ended: Promise<unknown>): Promise<number[]> {
    const end = new AbortController();
    void ended.catch(() => {}).finally(() => end.abort());
    const times: number[] = [];
    while (!end.signal.aborted) {
      const since = performance.now();
      const { status } = await neighbour.api().act(robot, 'face', { emotion: 'happy' });
      const ms = performance.now() - since;
      times.push(status === 200 ? ms : Infinity);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 125 - ms)));
    }
    return times.toSorted((a, b) => a - b);
  }

  async function readLists(): Promise<{ status: number; complete: boolean; bytes: number }[]> {
    const args = [reader, `${system.gateway()}/v1/robots`, fleet.key, String(listCount)];
    return JSON.parse((await promisify(execFile)(process.execPath, args, { timeout: 120_000 })).stdout);
  }

  const text = (times: number[]): string => {
    const at = (share: number): string => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
    return `${times.length} actions, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`;
  };

  it(`${listCount} lists of ${robotCount} robots at once do not delay the actions of another account`, async () => {
    const before = await timeActions(new Promise((resolve) => setTimeout(resolve, 4000)));
    const since = performance.now();
    const lists = readLists();
    const during = await timeActions(lists);
    const answers = await lists;
    const listsMs = performance.now() - since;
    const measured = `before: ${text(before)}; during ${listCount} lists (${listsMs.toFixed(0)} ms): ${text(during)}`;
    if (process.env['PERCH_TEST_TIMES'] === '1') process.stdout.write(`${measured}\n`);
    assert.deepEqual(
      answers.map(({ status, complete }) => [status, complete]),
      answers.map(() => [200, true]),
    );
    assert.equal(new Set(answers.map(({ bytes }) => bytes)).size, 1);
    // Before lists were read in slices, an action took as long as most of the lists, or failed. On a busy machine both take longer.
    assert.ok(during.at(-1)! < Math.max(1000, 5 * before.at(-1)!, listsMs / 3), measured);
  });

  it('a filter or a page of a long list is answered without sending the rest', async () => {
    const slice = (await fleet.api().get('/v1/robots?limit=1000')).body;
    const rest = (await fleet.api().get(`/v1/robots?limit=1000&after=${slice.next}`)).body;
    assert.deepEqual([slice.robots.length, rest.robots.length], [1000, 1000]);
    assert.ok(slice.robots.at(-1).id < rest.robots[0].id);
    assert.deepEqual((await fleet.api().get('/v1/robots?online=true')).body, { ok: true, robots: [], next: null });
  });
});
