/** Each fault does what it says, to the real thing, and is healed. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis, findRedisServer } from '@perch/local-redis';
import { skipTest, until } from '@perch/testkit';
import { clockAhead } from '../src/faults/clock-ahead.js';
import { clockBehind } from '../src/faults/clock-behind.js';
import { cutRedis } from '../src/faults/cut-redis.js';
import { cutPrograms } from '../src/faults/cut-programs.js';
import { drainGateway } from '../src/faults/drain-gateway.js';
import type { Fault, World } from '../src/faults/fault.js';
import { fillDisk } from '../src/faults/fill-disk.js';
import { fillMemory } from '../src/faults/fill-memory.js';
import { flushScripts } from '../src/faults/flush-scripts.js';
import { freezeRedis } from '../src/faults/freeze-redis.js';
import { freezeRobotLink } from '../src/faults/freeze-robot-link.js';
import { halfOpenRedis } from '../src/faults/half-open-redis.js';
import { heldRedis } from '../src/faults/held-redis.js';
import { killRedis } from '../src/faults/kill-redis.js';
import { killRedisClients } from '../src/faults/kill-redis-clients.js';
import { killRedisSubscribers } from '../src/faults/kill-redis-subscribers.js';
import { killRobotLink } from '../src/faults/kill-robot-link.js';
import { pauseRedis } from '../src/faults/pause-redis.js';
import { restoreOlderRedis } from '../src/faults/restore-older-redis.js';
import { starveCpu } from '../src/faults/starve-cpu.js';
import { Random } from '../src/random.js';
import type { Instance } from '../src/system/instance.js';
import { startSystem, type System } from '../src/system/system.js';

describe('faults', function () {
  this.timeout(60_000);
  let system: System;
  let world: World;
  const crashes: string[] = [];

  before(async function () {
    if (findRedisServer(process.env['PATH']) === null) skipTest(this, 'it needs redis-server or valkey-server on PATH');
    const dir = await mkdtemp(join(tmpdir(), 'perch-chaos-'));
    system = await startSystem({
      redis: 'single',
      env: process.env,
      random: new Random('faults'),
      dir,
      onCrash: (place, how) => crashes.push(`${place} ${how}`),
    });
    await system.settled(20_000);
    world = { system, robots: { ids: [], misbehave: () => () => undefined, moveTo: () => undefined } };
  });

  after(async () => {
    await system?.stop();
  });

  afterEach(() => {
    assert.deepEqual(crashes.splice(0), []);
    for (const { place, running, reachable, served } of system.instances)
      assert.deepEqual([running.well, reachable.well, served.well], [true, true, true], place);
  });

  const redisPort = (): number => system.redis.nodes[0]!.port;
  const ask = (...words: string[]): Promise<string> => askRedis(redisPort(), words, 400);
  const set = (name: string): Promise<string> => ask('SET', name, '1');

  /** Injects, looks, heals. @param seed one that draws the victim the test wants */
  async function during(fault: Fault, look: (lostSince: () => number | null) => Promise<unknown>, seed: string = fault.kind): Promise<void> {
    const injected = await fault.inject(world, new Random(seed));
    assert.ok(injected.holdMs >= 0 && injected.holdMs <= 8000);
    try {
      await look(injected.lostSince);
    } finally {
      await injected.heal();
    }
  }

  function unwell(track: 'running' | 'reachable' | 'served'): Instance {
    const found = system.instances.filter((one) => !one[track].well);
    assert.equal(found.length, 1);
    return found[0]!;
  }

  async function ready({ admin }: Instance): Promise<boolean> {
    return (await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(3000) })).ok;
  }

  it('fill-disk: Redis answers MISCONF to writes and still reads, until it can write again', async () => {
    await set('before');
    await during(fillDisk, async () => {
      await until(
        () =>
          set('x').then(
            () => false,
            (error: Error) => error.message.startsWith('MISCONF'),
          ),
        { what: 'MISCONF', timeoutMs: 4000 },
      );
      assert.equal(await ask('GET', 'before'), '1');
    });
    assert.equal(await set('after'), 'OK');
    await assert.rejects(async () => during(fillDisk, () => Promise.reject(new Error('thrown'))), /thrown/);
    assert.equal(await set('after'), 'OK');
  });

  it('fill-memory: Redis answers OOM to writes', async () => {
    await during(fillMemory, () => assert.rejects(set('x'), /^Error: OOM/));
    assert.equal(await set('after'), 'OK');
  });

  it('kill-redis: it comes back with what it had acknowledged, as another process', async () => {
    const { pid } = system.redis.nodes[0]!;
    await set('kept');
    const from = performance.now();
    await during(killRedis, async (lostSince) => {
      await assert.rejects(ask('PING'));
      assert.ok(lostSince()! < performance.now() && lostSince()! > from - 5000);
    });
    assert.equal(await ask('GET', 'kept'), '1');
    assert.notEqual(system.redis.nodes[0]!.pid, pid);
  });

  it('restore-older-redis: what came after the copy is lost, what was before is there, and it says so', async () => {
    await set('older');
    const injecting = during(restoreOlderRedis, (lostSince) => Promise.resolve(assert.ok(lostSince()! < copiedBy)));
    await new Promise((resolve) => setTimeout(resolve, 150));
    const copiedBy = performance.now();
    await set('newer');
    await injecting;
    assert.equal(await ask('GET', 'older'), '1');
    assert.equal(await ask('GET', 'newer'), '');
  });

  it('freeze-redis and pause-redis: it answers nobody, and then goes on', async () => {
    for (const [fault, seed] of [
      [freezeRedis, 'any'],
      [pauseRedis, 'all'],
    ] as const) {
      await during(fault, () => assert.rejects(set('x'), /did not answer/), seed);
      assert.equal(await set('after'), 'OK');
    }
  });

  it('kill-redis-clients, kill-redis-subscribers: connections of that kind are others afterwards', async () => {
    const ids = async (type: string): Promise<string[]> =>
      [...(await ask('CLIENT', 'LIST', 'TYPE', type)).matchAll(/^id=(\d+) .*cmd=(?!client)/gm)].map(([, id]) => id!);
    for (const [fault, type] of [
      [killRedisClients, 'normal'],
      [killRedisSubscribers, 'pubsub'],
    ] as const) {
      const before = await ids(type);
      assert.ok(before.length >= 4);
      await during(fault, () => Promise.resolve());
      const after = await ids(type);
      assert.deepEqual(
        before.filter((id) => after.includes(id)),
        [],
        fault.kind,
      );
    }
  });

  it('flush-scripts: Redis knows none', async () => {
    const known = async (): Promise<string> => /number_of_cached_scripts:(\d+)/.exec(await ask('INFO', 'memory'))![1]!;
    await ask('SCRIPT', 'LOAD', '"return"');
    assert.notEqual(await known(), '0');
    await during(flushScripts, async () => until(async () => (await known()) === '0'));
  });

  it('kill-robot-link: another process in its place, at the same address', async () => {
    const before = system.links.map(({ pid, url }) => ({ pid, url }));
    await during(killRobotLink, () => Promise.resolve(assert.equal(unwell('running').pid, 0)));
    assert.equal(system.links.filter(({ pid }, i) => pid !== before[i]!.pid).length, 1);
    assert.deepEqual(
      system.links.map(({ url }) => url),
      before.map(({ url }) => url),
    );
  });

  it('drain-gateway: it ends by itself, and a successor takes its place', async () => {
    const pids = system.gateways.map(({ pid }) => pid);
    await during(drainGateway, () => Promise.resolve(void unwell('running')));
    assert.equal(system.gateways.filter(({ pid }, i) => pid !== pids[i]).length, 1);
  });

  it('freeze-robot-link: the same process, which did nothing meanwhile', async () => {
    const pids = system.links.map(({ pid }) => pid);
    await during(freezeRobotLink, () => assert.rejects(fetch(`${unwell('running').admin}/healthz`, { signal: AbortSignal.timeout(300) })));
    assert.deepEqual(
      system.links.map(({ pid }) => pid),
      pids,
    );
  });

  it('clock-ahead, clock-behind: an instance believes it started minutes from now', async () => {
    const startedAt = async ({ admin }: Instance): Promise<number> =>
      Number(/^process_start_time_seconds\S* (\S+)/m.exec(await (await fetch(`${admin}/metrics`)).text())![1]) * 1000;
    const minutesAhead = async (): Promise<number[]> => {
      const starts = await Promise.all(system.instances.map(startedAt));
      return starts.map((start) => (start - Date.now()) / 60_000).filter((minutes) => Math.abs(minutes) > 1.5);
    };
    for (const [fault, sign] of [
      [clockAhead, 1],
      [clockBehind, -1],
    ] as const) {
      await during(fault, async () => {
        const wrong = await minutesAhead();
        assert.equal(wrong.length, 1, fault.kind);
        assert.ok(wrong[0]! * sign > 1.5, `${wrong[0]}`);
      });
    }
  });

  it('cut-redis: all lines of one instance are others afterwards, and of nobody else', async () => {
    const before = system.instances.map(({ redis }) => redis!.lines);
    let victim: Instance | null = null;
    await during(cutRedis, () => Promise.resolve(void (victim = unwell('served'))));
    for (const [i, one] of system.instances.entries()) {
      const same = one.redis!.lines.filter((line) => before[i]!.includes(line)).length;
      assert.equal(same, one === victim ? 0 : before[i]!.length, one.place);
    }
  });

  it('half-open-redis: the instance notices that Redis says nothing, and is ready again after', async () => {
    for (const seed of ['a', 'b', 'c']) {
      await during(
        halfOpenRedis,
        async () => {
          const victim = unwell('served');
          await until(async () => !(await ready(victim)), { timeoutMs: 8000, everyMs: 100, what: `${victim.place} to notice` });
        },
        seed,
      );
      for (const one of system.instances) assert.ok(await ready(one), one.place);
    }
  });

  it('held-redis: nothing passes, then everything does', async () => {
    await during(heldRedis, async () => {
      const victim = unwell('served');
      await until(async () => !(await ready(victim)), { timeoutMs: 8000, everyMs: 100, what: `${victim.place} to notice` });
    });
  });

  it('cut-programs: a call under way ends in a reset', async () => {
    const calls = system.gateways.map(async ({ url, clients }) => {
      // A request that never ends.
      const body = new ReadableStream({ pull: () => new Promise(() => {}) });
      const call = fetch(`${url}/v1/robots/r/say`, { method: 'POST', body, duplex: 'half' } as RequestInit);
      call.catch(() => undefined);
      await until(() => clients!.lines.length > 0);
      return { call };
    });
    const started = await Promise.all(calls);
    await during(cutPrograms, async () => {
      const victim = unwell('reachable');
      const { call } = started[system.gateways.indexOf(victim)]!;
      await assert.rejects(call);
    });
    for (const { clients } of system.gateways) clients!.cut();
  });

  it('starve-cpu: the machine is busy, and then it is not', async () => {
    await during(starveCpu, async () => {
      const began = process.hrtime.bigint();
      const { user, system: kernel } = process.cpuUsage();
      let sum = 0;
      for (let i = 0; i < 3e8; i += 1) sum += i;
      const used = process.cpuUsage({ user, system: kernel });
      const wallMs = Number(process.hrtime.bigint() - began) / 1e6;
      assert.ok(sum > 0 && wallMs > ((used.user + used.system) / 1000) * 1.2, `${wallMs} ms`);
    });
  });
});
