import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import type { Redis } from 'ioredis';
import { mediaLifeMs } from '../src/media/media.js';
import type { Connections } from '../src/redis/connections.js';
import { closeStores, mastersOf, testAdmin } from './fixtures.js';
import { drawJob, openRenderInstance, RenderSystem, ttlMs, type RenderInstance } from './render-system.js';

interface Counted {
  scripts: number;
  /** With those inside scripts. */
  commands: number;
  lines: string[];
}

describe('Redis commands of a render', () => {
  let system: RenderSystem;
  let admin: Connections;
  before(async () => {
    system = await RenderSystem.open();
    admin = await testAdmin();
  });
  after(async () => {
    await system.close();
    await closeStores();
  });

  async function countedOf(work: () => Promise<unknown>, account: string, isOver: RegExp): Promise<Counted> {
    const masters = mastersOf(admin);
    const monitors = await Promise.all(masters.map(monitorOf));
    await work();
    const mark = randomUUID();
    const shows = (wanted: RegExp): boolean => monitors.some(({ text }) => wanted.test(text()));
    await until(() => shows(isOver) && shows(new RegExp(`"ZREM" "[^"]*render-demand:${account}"`)));
    await Promise.all(masters.map((master) => master.ping(mark)));
    await until(() => monitors.every(({ text }) => text().includes(mark)));
    for (const { socket } of monitors) socket.destroy();
    const lines: string[] = [];
    for (const { text } of monitors) {
      let isOwn = false;
      for (const line of text().split('\r\n')) {
        // What a script does follows it.
        if (!line.includes(' lua]')) isOwn = (line.includes(account) || line.includes(':render:')) && !/:stalled-check|"bzpopmin"/.test(line);
        if (isOwn) lines.push(line.slice(line.indexOf('[') + 3, line.indexOf('[') + 200));
      }
    }
    // EVAL: the first call of a script on a master.
    return { scripts: lines.filter((line) => /"eval(?:sha)?"/.test(line)).length, commands: lines.length, lines };
  }

  /** ioredis fails if the first command that it is told of arrives together with the reply to MONITOR. */
  async function monitorOf({ options, stream }: Redis): Promise<{ socket: Socket; text: () => string }> {
    const socket = connect(stream.remotePort!, stream.remoteAddress);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'connect');
    const auth = options.username ? `AUTH ${options.username} ${options.password}\r\n` : '';
    socket.write(`${auth}MONITOR\r\n`);
    await until(() => (auth === '' ? /^\+OK/ : /^\+OK\r\n\+OK/).test(text));
    return { socket, text: () => text };
  }

  /** Workers send commands of their own now and then: the attempt with the fewest counts. */
  const leastOf = async (gateway: RenderInstance, isOver: RegExp): Promise<Counted> => {
    const tries: Counted[] = [];
    for (let tried = 0; tried < 6; tried += 1) {
      const job = drawJob();
      const counted = await countedOf(() => gateway.renders.obtain(job, { ttlMs }), job.account, isOver);
      if (tried > 0) tries.push(counted);
    }
    return tries.toSorted((a, b) => a.commands - b.commands)[0]!;
  };

  it('a picture that nobody has drawn costs 8 scripts and at most 67 commands inside Redis while a renderer is free', async function () {
    needsRealRedis(this, await redisUrl(), 'MONITOR of what scripts do');
    const { scripts, commands, lines } = await leastOf(system.gateway, /lua\] "DEL" "[^"]*render-claim/);
    // 7 if the picture is announced before it would be read again.
    assert.ok(scripts === 8 || scripts === 7, `${scripts} scripts:\n${lines.join('\n')}`);
    assert.ok(commands <= 67, `${commands} commands:\n${lines.join('\n')}`);
  });

  it('a picture from the queue costs 13 scripts and at most 116 commands inside Redis', async function () {
    needsRealRedis(this, await redisUrl(), 'MONITOR of what scripts do');
    const old = await openRenderInstance({ isDirect: false });
    const { scripts, commands, lines } = await leastOf(old, /"completed"/);
    await old.close();
    assert.equal(scripts, 13, lines.join('\n'));
    assert.ok(commands <= 116, `${commands} commands:\n${lines.join('\n')}`);
  });

  it('reads a picture that is drawn for it twice before the render and never after, unless it must last for longer', async () => {
    const { media, renders } = system.gateway;
    const findResult = media.findResult.bind(media);
    const obtained = async (wantedMs: number): Promise<number> => {
      let reads = 0;
      media.findResult = (...args) => ((reads += 1), findResult(...args));
      const { draw } = system.handle;
      system.handle.draw = async (...args) => (await until(() => reads === 2), draw(...args));
      const job = drawJob();
      const ref = await renders.obtain(job, { ttlMs: wantedMs });
      system.handle.draw = draw;
      media.findResult = findResult;
      assert.deepEqual(ref, await media.find(job.account, job.hash, 0));
      return reads;
    };
    assert.equal(await obtained(mediaLifeMs), 2);
    assert.equal(await obtained(mediaLifeMs + 1000), 3);
  });
});
