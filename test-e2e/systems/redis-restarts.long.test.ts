import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import type { Api } from '../fixture/clients/api.js';
import { waitArmed, left, right } from '../fixture/robots/question.js';
import { instancesReady } from '../fixture/system/instances-ready.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 100 };

interface Read {
  seq: number;
  name: string;
}

describe('restarts of Redis (2 gateways, 2 robot-links, 2 renderers)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'perch-restarts-'));
  const crashes: string[] = [];
  before(function () {
    needsRedisServer(this);
  });
  const system = useSystem({ gateways: 2, links: 2, renderers: 2 }, async () => ({
    redis: await redisProcess({ dir, appendOnly: true }),
    onCrash: ({ service }) => crashes.push(service),
  }));
  afterEach('no instance ended', () => {
    assert.deepEqual(crashes, []);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const read = async (api: Api, id: string, query = ''): Promise<{ events: Read[]; last_seq: number; first_seq: number }> => {
    const { status, body } = await api.get(`/v1/robots/${id}/events${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** Read directly from Redis, to which this test may not be connected again yet: polling through the API would empty the bucket. */
  const names = (id: string): Promise<string[]> =>
    until(async () => (await system.store.events.read(id, {})).events.map(({ name }) => name), { what: 'the events in Redis' });
  /** Without `connected`: robots are away while Redis is down for long. */
  const inputNames = async (id: string): Promise<string[]> => (await names(id)).filter((name) => name !== 'connected');

  describe('Redis is killed and restarted', () => {
    it('sessions, inputs and waits survive a killed Redis, and event numbers jump and never repeat', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      const call = api.act(id, 'ask', question);
      await waitArmed(system, id, robot);
      await robot.tap(1, 1);
      await until(async () => (await names(id)).join() === 'connected,tap');
      let seen = await read(api, id);
      for (let round = 0; round < 3; round += 1) {
        await system.redis!.kill('SIGKILL');
        await robot.pat({ heldMs: 100 + round });
        await robot.pressPower();
        await system.redis!.restart();
        const more = await until(
          async () => {
            const page = await read(api, id, `?after=${seen.last_seq}&seconds=5`);
            return page.events.length === 2 ? page : null;
          },
          { what: 'both inputs' },
        );
        assert.deepEqual(
          more.events.map(({ name }) => name),
          ['pat', 'button'],
        );
        assert.ok(more.events[0]!.seq > seen.last_seq + 1, `a jump: ${more.events[0]!.seq} after ${seen.last_seq}`);
        assert.equal(more.events[1]!.seq, more.events[0]!.seq + 1);
        assert.equal(more.last_seq, more.events[1]!.seq);
        seen = more;
      }
      await robot.tap(...right);
      assert.equal((await call).body.answer, 'No');
      await robot.until(({ inputs, screen }) => inputs.acked === inputs.seq && screen.question === null);
      assert.deepEqual(await inputNames(id), ['tap', 'pat', 'button', 'pat', 'button', 'pat', 'button']);
      assert.equal(robot.dials, 1, 'its session stayed');
      assert.deepEqual(robot.violations, []);
    });

    it('calls get 503 service_unavailable while Redis is down, and a tap made meanwhile answers a wait', async () => {
      // The test before leaves a Redis that has just been restarted.
      await instancesReady(system);
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      const call = tenant.api(1).act(id, 'menu', { items: ['Tea', 'Coffee'], timeout_s: 100 });
      await waitArmed(system, id, robot);
      await system.redis!.kill('SIGKILL');
      const { status, headers, body } = await api.act(id, 'face', { emotion: 'happy' });
      assert.deepEqual([status, body.code], [503, 'service_unavailable']);
      assert.ok(Number(headers.get('retry-after')) >= 1);
      await robot.tap(...right);
      await system.redis!.restart();
      assert.equal((await call).body.item, 'Coffee');
      await instancesReady(system);
      assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
      assert.deepEqual(await inputNames(id), []);
      assert.equal(robot.dials, 1);
    });
  });

  describe('Redis is restored from an older copy', () => {
    const goBackOver = async (between: () => Promise<void>): Promise<void> => {
      const copy = mkdtempSync(join(tmpdir(), 'perch-copy-'));
      try {
        cpSync(dir, copy, { recursive: true });
        await between();
        await system.redis!.kill('SIGKILL');
        for (const name of ['appendonlydir', 'appendonly.aof']) rmSync(join(dir, name), { recursive: true, force: true });
        cpSync(copy, dir, { recursive: true });
        await system.redis!.restart();
        await instancesReady(system);
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    };

    it('no event and no wait number is used twice after an older copy was restored', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      await robot.tap(1, 1);
      await until(async () => (await names(id)).length === 2);
      let lastSeq = 0;
      let wait = 0;
      await goBackOver(async () => {
        for (let i = 0; i < 20; i += 1) await robot.tap(2, i);
        await until(async () => (await names(id)).length === 22);
        lastSeq = (await read(api, id)).last_seq;
        const call = api.act(id, 'ask', question);
        wait = await waitArmed(system, id, robot);
        await robot.tap(...left);
        assert.equal((await call).body.outcome, 'answered');
      });
      // A reader that continues gets nothing twice, and the next event shows the gap.
      const again = await read(api, id, `?after=${lastSeq}`);
      assert.deepEqual([again.events, again.last_seq], [[], lastSeq]);
      const poll = read(api, id, `?after=${lastSeq}&seconds=20`);
      await robot.tap(3, 3);
      const page = await poll;
      assert.ok(page.events[0]!.seq > lastSeq + 1, `${page.events[0]!.seq} after ${lastSeq}`);
      assert.equal(page.first_seq, page.events[0]!.seq, 'above after + 1: events are missing');
      const call = api.act(id, 'ask', question);
      assert.ok((await waitArmed(system, id, robot)) > wait);
      await robot.tap(...left);
      assert.equal((await call).body.outcome, 'answered');
      assert.deepEqual(robot.violations, []);
    });

    for (const [what, copied] of [
      ['came', 'away'],
      ['came again', 'held'],
    ] as const) {
      it(`a robot that ${what} after the copy was made is online again, and its input is stored`, async () => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.offlineRobot({ instant: true });
        const api = tenant.api();
        await robot.start();
        if (copied === 'away') await robot.stop();
        await until(async () => {
          const lease = await system.store.leases.find(id);
          // A session that has just begun could also be the newer one.
          return lease.state === copied && system.store.clock.now() - lease.since > 1200;
        });
        await goBackOver(async () => {
          if (copied === 'held') await robot.stop();
          await robot.start();
          await robot.tap(1, 1);
          await until(async () => (await names(id)).includes('tap'));
        });
        await robot.tap(2, 2);
        await until(async () => (await names(id)).includes('tap'), { what: 'the tap' });
        await robot.until(({ online }) => online);
        assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
        assert.equal((await api.get(`/v1/robots/${id}`)).body.online, true);
      });
    }
  });
});
