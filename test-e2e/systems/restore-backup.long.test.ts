/** The drill of docs/runbooks/restore-backup.md: copies a Perch under load, deletes everything, and runs the blocks of the page as they are. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, needsRedisServer, redisProcess, skipTest, until, type LocalRedis } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { Api } from '../fixture/clients/api.js';
import { namesOfDrill } from '../fixture/runbooks/operator-shell.js';
import { SystemUnderTest, type Tenant } from '../fixture/system/system-under-test.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const robotCount = process.env['PERCH_TEST_LONG'] === '1' ? 60 : 12;

const readPage = (): Promise<string> => readFile(join(root, 'docs/runbooks/restore-backup.md'), 'utf8');

async function blocksOf(section: string): Promise<string[]> {
  const page = await readPage();
  const text = page.split(/^## /m).find((each) => each.startsWith(`${section}\n`));
  assert.ok(text !== undefined, `the page has no section ${section}`);
  return [...text.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, block]) => block!);
}

interface Robot {
  id: string;
  /** A key of its own: the calls to 60 robots exceed the rate of one key. */
  apiKey: string;
  robot: VirtualRobot;
  /** Events that readers received, by number, with their time. */
  seen: Map<number, string>;
}

describe('a restored backup', function () {
  this.timeout(180_000);
  let redis: LocalRedis;
  let system: SystemUnderTest;
  let tenant: Tenant;
  const dir = mkdtempSync(join(tmpdir(), 'perch-drill-'));
  const backups = mkdtempSync(join(tmpdir(), 'perch-backup-'));
  let environment: Record<string, string>;
  const robots: Robot[] = [];

  before(async function () {
    needsRedisServer(this);
    for (const program of ['redis-server', 'redis-cli', 'redis-check-rdb'])
      if (spawnSync(program, ['--version']).error !== undefined) skipTest(this, `the page uses ${program}, which is not on PATH`);
    // A snapshot takes a while, as a large one does: Redis waits so many microseconds at each key.
    redis = await redisProcess({ dir, appendOnly: true, settings: { 'rdb-key-save-delay': '3000' } });
    environment = {
      PATH: process.env['PATH'] ?? '',
      PERCH_REDIS_URL: redis.url,
      REDIS_DIR: dir,
      BACKUP: join(backups, 'perch.rdb'),
      RESTORE_PORT: String(await freePort()),
    };
    system = await SystemUnderTest.open({ gateways: 1, links: 2, renderers: 1 }, { redis: redis.url });
    tenant = await system.tenant();
  });
  after(async () => {
    await system?.close();
    await redis?.stop();
    for (const each of [dir, backups]) rmSync(each, { recursive: true, force: true });
  });

  const followed = new Set<string>();
  async function follow(section: string): Promise<number> {
    followed.add(section);
    const since = performance.now();
    const perch = `perch() { ${process.execPath} ${join(root, 'packages/cli/dist/main.js')} "$@"; }`;
    for (const block of await blocksOf(section))
      await promisify(execFile)('/bin/sh', ['-e', '-u', '-c', `${perch}\n${block}`], { cwd: root, env: environment, timeout: 60_000 });
    return performance.now() - since;
  }

  /** Gateways get new addresses when they are replaced. */
  const apiWith = (apiKey: string): Api => new Api(system.gateway(), apiKey);
  const lastSeqs = (): Promise<number[]> => Promise.all(robots.map(async ({ id }) => (await system.store.events.read(id, { after: 0 })).lastSeq));

  async function look({ id, seen }: Robot): Promise<void> {
    for (const { seq, name, at } of (await system.store.events.read(id, { after: 0 })).events) {
      const event = `${name} at ${at}`;
      assert.equal(seen.get(seq) ?? event, event, `event ${seq} of ${id} is another one than before`);
      seen.set(seq, event);
    }
  }

  function load(): { stop(): Promise<number> } {
    const ended = new AbortController();
    let calls = 0;
    const work = robots.map(async ({ robot, id, apiKey }, i) => {
      for (let n = 0; !ended.signal.aborted; n++) {
        await robot.tap(n % 320, i);
        if (n % 4 === 0) {
          const { status } = await apiWith(apiKey).act(id, 'say', { text: `Call ${n}`, seconds: 1 });
          if (status === 200) calls += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    return {
      async stop() {
        ended.abort();
        await Promise.all(work);
        return calls;
      },
    };
  }

  it('following the page restores a backup: numbers are used once, robots reconnect, keys work, and only what came after the copy is lost', async () => {
    for (let i = 0; i < robotCount; i++) {
      const { id, robot } = await tenant.robot({ instant: true, reconnect: { minMs: 100, maxMs: 500 } }, i % 2);
      const { apiKey } = await system.store.apiKeys.create({ account: tenant.account });
      robots.push({ id, apiKey, robot, seen: new Map() });
    }
    const { store } = system;
    const revokedBefore = await store.apiKeys.create({ account: tenant.account });
    assert.ok(await store.apiKeys.revoke(tenant.account, revokedBefore.id));
    const revokedAfter = await store.apiKeys.create({ account: tenant.account });

    const traffic = load();
    await until(async () => (await lastSeqs()).every((seq) => seq > 5));
    const copyMs = await follow('Make a copy');
    const afterCopy = await lastSeqs();
    await until(async () => (await lastSeqs()).every((seq, i) => seq > afterCopy[i]! + 10));
    assert.ok(await store.apiKeys.revoke(tenant.account, revokedAfter.id));
    const lateRobot = await tenant.offlineRobot();
    const calls = await traffic.stop();
    await Promise.all(robots.map(look));
    const before = await lastSeqs();

    // Everything is lost, at once and without warning.
    const { cluster } = system;
    const services = [...cluster.gateways, ...cluster.links, ...cluster.renderers];
    const sessions = robots.map(({ robot }) => robot.session);
    for (const service of services) service.signal('SIGKILL');
    await redis.kill('SIGKILL');
    await Promise.all(services.map((service) => service.ended));
    for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true });

    const since = performance.now();
    await follow('Put the copy in place');
    await redis.restart();
    await until(async () => (await store.accounts.get(tenant.account)) !== null);
    const restored = await lastSeqs();
    const lost = before.reduce((sum, seq, i) => sum + seq - restored[i]!, 0);
    assert.ok(lost > 0 && restored.every((seq, i) => seq <= before[i]!), 'what came after the copy is lost, and nothing else');
    // The heartbeats in the copy expire within seconds. Until then they look like running instances.
    await until(
      () =>
        follow('Before the services start').then(
          () => true,
          () => false,
        ),
      { timeoutMs: 60_000, everyMs: 500, what: 'perch redis restored to see no instance' },
    );
    const listed = (await store.apiKeys.list(tenant.account)).map(({ id }) => id);
    assert.ok(listed.includes(revokedAfter.id), 'a key that was revoked after the copy is back, as the page says');
    assert.ok(!listed.includes(revokedBefore.id));
    assert.ok(await store.apiKeys.revoke(tenant.account, revokedAfter.id));
    for (const service of services) await cluster.replace(service);
    await follow('Check');
    await Promise.all(
      robots.map(({ robot }, i) =>
        robot.until(({ session }) => session !== null && session !== sessions[i], { what: 'the robot to be back', timeoutMs: 60_000 }),
      ),
    );
    const tookMs = performance.now() - since;

    for (const [i, robot] of robots.entries()) {
      await robot.robot.tap(5, 5);
      await until(async () => (await store.events.read(robot.id, { after: before[i]! })).events.some(({ name }) => name === 'tap'));
      const page = await apiWith(robot.apiKey).get(`/v1/robots/${robot.id}/events?after=${before[i]}`);
      assert.equal(page.status, 200);
      assert.ok(page.body.events[0].seq > before[i]! + 1, 'no number is used twice');
      assert.ok(page.body.first_seq > before[i]! + 1, 'readers see the gap');
      await look(robot);
    }
    assert.equal((await apiWith(robots[0]!.apiKey).act(robots[0]!.id, 'say', { text: 'Back', seconds: 1 })).status, 200);
    for (const { apiKey } of [revokedBefore, revokedAfter])
      assert.deepEqual(await store.apiKeys.admit({ apiKey, cost: 1 }), { ok: false, reason: 'unauthorized' });
    assert.equal(await store.robots.get(lateRobot.id), null, 'a robot that was made after the copy has to be paired again');

    const withBlocks = (await readPage()).split(/^## /m).flatMap((text) => (text.includes('\n```sh\n') ? [/^.*/.exec(text)![0]] : []));
    assert.deepEqual([namesOfDrill, ...followed], withBlocks, 'the drill runs every block but those that set names');

    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    const kept = before.reduce((sum, seq) => sum + seq, 0) - lost;
    // Printed for the page.
    process.stdout.write(
      `drill: ${robotCount} robots, ${calls} calls; copied in ${seconds(copyMs)} s; back in ${seconds(tookMs)} s; ` +
        `${lost} events after the copy lost, ${kept} kept\n`,
    );
  });
});
