import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import { mediaLifeMs } from '../src/media/media.js';
import { drawJob, openRenderInstance, RenderSystem, ttlMs, type RenderInstance } from './render-system.js';

interface Counted {
  scripts: number;
  /** With those inside scripts. */
  commands: number;
  lines: string[];
}

describe('Redis commands of a render', () => {
  let system: RenderSystem;
  before(async () => {
    system = await RenderSystem.open();
  });
  after(() => system.close());

  async function countedOf(work: () => Promise<unknown>, account: string, isOver: RegExp): Promise<Counted> {
    const { hostname, port } = new URL(await redisUrl());
    const socket = connect(Number(port || 6379), hostname);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await until(() => text.startsWith('+OK'));
    await work();
    const mark = randomUUID();
    await until(() => isOver.test(text) && /"ZREM" "[^"]*render-demand/.test(text));
    await system.gateway.redis.commands.echo(mark);
    await until(() => text.includes(mark));
    socket.destroy();
    const lines: string[] = [];
    let isOwn = false;
    for (const line of text.split('\r\n')) {
      // What a script does follows it.
      if (!line.includes(' lua]')) isOwn = (line.includes(account) || line.includes(':render:')) && !/:stalled-check|"bzpopmin"/.test(line);
      if (isOwn) lines.push(line.slice(line.indexOf('[') + 3, line.indexOf('[') + 200));
    }
    return { scripts: lines.filter((line) => line.includes('"evalsha"')).length, commands: lines.length, lines };
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
    needsRealRedis(this, await redisUrl(), 'ECHO, and MONITOR of what scripts do');
    const { scripts, commands, lines } = await leastOf(system.gateway, /lua\] "DEL" "[^"]*render-claim/);
    assert.equal(scripts, 8, lines.join('\n'));
    assert.ok(commands <= 67, `${commands} commands:\n${lines.join('\n')}`);
  });

  it('a picture from the queue costs 13 scripts and at most 116 commands inside Redis', async function () {
    needsRealRedis(this, await redisUrl(), 'ECHO, and MONITOR of what scripts do');
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
