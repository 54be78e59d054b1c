import assert from 'node:assert/strict';
import type { EventStreamClient, StreamRecord } from '@perch/testkit';
import { until } from '@perch/testkit';
import { Bench, type Owner } from '../bench.js';
import { PageVisitor } from './page-visitor.js';

const doing = {
  bubble: 'hello',
  head: { yaw: 20, pitch: 30, moving: true },
  leds: { pixels: Array.from({ length: 12 }, () => '#000000'), effect: null },
  sound: true,
};

describe('the live stream of a page', function () {
  this.timeout(60_000);
  let bench: Bench;
  let owner: Owner;
  let page: PageVisitor;
  const streams: EventStreamClient[] = [];

  before(async () => {
    bench = await Bench.start();
  });
  beforeEach(async () => {
    owner = await bench.owner();
    page = await PageVisitor.signIn(bench, owner.account);
  });
  afterEach(() => {
    bench.link.doing = null;
    for (const stream of streams.splice(0)) stream.close();
  });
  after(() => bench.stop());

  async function open(query = '', headers: Record<string, string> = {}, visitor = page): Promise<EventStreamClient> {
    const stream = await visitor.live(query, headers);
    streams.push(stream);
    return stream;
  }
  const last = ({ records }: EventStreamClient, event: string): StreamRecord | undefined => records.findLast((record) => record.event === event);
  /** The newest record of that name that fits. */
  const told = (stream: EventStreamClient, event: string, fits: (data: any) => boolean = () => true): Promise<any> =>
    until(
      () => {
        const data = last(stream, event)?.data;
        return data !== undefined && fits(data) ? { data } : null;
      },
      { what: `a record ${event} that fits`, timeoutMs: 20_000 },
    ).then(({ data }) => data);
  const seqs = ({ records }: EventStreamClient): number[] => records.filter(({ event }) => event === 'event').map(({ id }) => Number(id));

  it('begins with the list of robots, and tells when one comes, changes, and goes', async () => {
    const stream = await open();
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    assert.equal(stream.headers.get('perch-account'), owner.account);
    const first = await told(stream, 'robots');
    assert.deepEqual([first.ok, first.total, first.robots[0].id, first.robots[0].online], [true, 1, owner.robot, false]);
    await bench.link.take(owner.robot, owner.token);
    await told(stream, 'robots', ({ robots }) => robots[0].online === true);
    await page.ask('PATCH', `robots/${owner.robot}`, { name: 'Kitchen' });
    await told(stream, 'robots', ({ robots }) => robots[0].name === 'Kitchen');
    await bench.link.release(owner.robot, 'away');
    await told(stream, 'robots', ({ robots }) => robots[0].online === false && robots[0].battery_pct === 81);
    await page.ask('DELETE', `robots/${owner.robot}`);
    await told(stream, 'robots', ({ total }) => total === 0);
  });

  it('says nothing while nothing changes, though time goes on', async () => {
    await bench.link.take(owner.robot, owner.token);
    const stream = await open();
    const other = await open();
    for (const one of [stream, other]) await told(one, 'robots');
    // Time for two looks.
    await new Promise((resolve) => setTimeout(resolve, 3100));
    await page.ask('PATCH', `robots/${owner.robot}`, { name: 'Kitchen' });
    for (const one of [stream, other]) {
      await told(one, 'robots', ({ robots }) => robots[0].name === 'Kitchen');
      assert.equal(one.records.length, 2);
    }
  });

  it('of the watched robot: what it does now, as its robot-link says, and when that changes', async () => {
    await bench.link.take(owner.robot, owner.token);
    bench.link.doing = doing;
    const stream = await open(`?robot=${owner.robot}`);
    // Its robot-link may be late at first.
    const first = await told(stream, 'twin', ({ bubble }) => bubble !== null);
    assert.deepEqual(first, {
      online: true,
      showing: { card: null, question: null, emotion: 'happy', view: 'face' },
      ...doing,
      readings: { battery_pct: 81 },
      readings_at: new Date(1_790_000_000_000).toISOString(),
    });
    bench.link.doing = { ...doing, bubble: null, sound: false };
    await told(stream, 'twin', ({ bubble, sound }) => bubble === null && sound === false);
    await bench.link.release(owner.robot, 'away');
    const away = await told(stream, 'twin', ({ online }) => online === false);
    assert.deepEqual([away.head.yaw, away.leds.pixels, away.readings.battery_pct], [null, null, 81]);
  });

  it('what a robot does is not forgotten while its robot-link is late', async () => {
    await bench.link.take(owner.robot, owner.token);
    bench.link.doing = doing;
    const stream = await open(`?robot=${owner.robot}`);
    await told(stream, 'twin', ({ bubble }) => bubble === 'hello');
    const known = stream.records.length;
    const state = bench.link.state;
    bench.link.state = null;
    const asked = bench.link.states.length;
    await until(() => bench.link.states.length >= asked + 3, { what: 'three looks without an answer', timeoutMs: 20_000 });
    bench.link.state = { ...state!, readings: { battery_pct: 80 } };
    await told(stream, 'twin', ({ readings }) => readings.battery_pct === 80);
    bench.link.state = state;
    assert.ok(stream.records.slice(known).every(({ event, data }) => event !== 'twin' || data.bubble === 'hello'));
  });

  it('pages that watch the same robot share one look', async () => {
    await bench.link.take(owner.robot, owner.token);
    bench.link.doing = doing;
    const some = await Promise.all(Array.from({ length: 6 }, () => open(`?robot=${owner.robot}`)));
    await Promise.all(some.map((stream) => told(stream, 'twin')));
    const [before, at] = [bench.link.states.length, performance.now()];
    await until(() => bench.link.states.length >= before + 3, { timeoutMs: 20_000 });
    // 3 looks of one watcher are 1.2 s apart; of six they would come at once.
    assert.ok(performance.now() - at > 600, String(performance.now() - at));
    for (const stream of streams.splice(0)) stream.close();
    await until(
      async () => {
        const count = bench.link.states.length;
        await new Promise((resolve) => setTimeout(resolve, 900));
        return bench.link.states.length === count;
      },
      { what: 'the looks to end with their pages', timeoutMs: 20_000 },
    );
  });

  it('its events as they happen, the last ones from before first; a stream that comes again goes on', async () => {
    await bench.link.take(owner.robot, owner.token);
    for (let i = 0; i < 3; i++) await bench.link.event(owner.robot, 'tap', { x: i, y: 0 });
    const stream = await open(`?robot=${owner.robot}`);
    await until(() => seqs(stream).length === 3, { timeoutMs: 20_000 });
    await bench.link.event(owner.robot, 'pat', { ms: 90 });
    await until(() => seqs(stream).length === 4, { timeoutMs: 20_000 });
    assert.deepEqual(seqs(stream), [1, 2, 3, 4]);
    assert.deepEqual([last(stream, 'event')?.data.name, last(stream, 'event')?.data.seq], ['pat', 4]);
    const again = await open(`?robot=${owner.robot}`, { 'last-event-id': '3' });
    await until(() => seqs(again).length === 1, { timeoutMs: 20_000 });
    assert.deepEqual(seqs(again), [4]);
    const ahead = await open(`?robot=${owner.robot}`, { 'last-event-id': '5' });
    for (let i = 0; i < 2; i++) await bench.link.event(owner.robot, 'tap');
    await until(() => seqs(ahead).length === 1, { timeoutMs: 20_000 });
    assert.deepEqual(seqs(ahead), [6], 'an id above the highest number waits for greater ones');
  });

  it('what was not kept in between is told as a gap', async () => {
    await bench.link.take(owner.robot, owner.token);
    for (let i = 0; i < 8; i++) await bench.link.event(owner.robot, 'tap', { x: i, y: 0 });
    await bench.store.connections.commands.xtrim(`perch:{${owner.robot}}:events`, 'MAXLEN', 3);
    const stream = await open(`?robot=${owner.robot}`, { 'last-event-id': '2' });
    assert.deepEqual(await told(stream, 'gap'), { after: 2, oldest: 6, dropped: true });
    await until(() => seqs(stream).length === 3, { timeoutMs: 20_000 });
    assert.deepEqual(seqs(stream), [6, 7, 8]);
  });

  it("ends within about a second of its session, others' go on", async () => {
    const other = await PageVisitor.signIn(bench, owner.account);
    const [ended, going] = [await open(), await open('', {}, other)];
    await bench.store.sessions.end(owner.account, page.keyHash);
    const at = performance.now();
    assert.equal(await ended.closed, true);
    assert.ok(performance.now() - at < 15_000);
    assert.equal(last(ended, 'end')?.data.code, 'signed_out');
    assert.equal((await page.live()).status, 401);
    await page.bench.store.robots.rename(owner.account, owner.robot, 'Still here');
    await told(going, 'robots', ({ robots }) => robots[0].name === 'Still here');
  });

  it('are eight of a session at most; a place is free again when one closes', async () => {
    const eight = await Promise.all(Array.from({ length: 8 }, () => open()));
    const refused = await open();
    await refused.closed;
    assert.deepEqual([refused.status, JSON.parse(refused.body).code], [429, 'rate_limited']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    eight[0]!.close();
    await until(async () => (await open()).status === 200, { everyMs: 300, timeoutMs: 20_000 });
  });

  it('a robot that is removed is told no more, and its list says so', async () => {
    await bench.link.take(owner.robot, owner.token);
    const stream = await open(`?robot=${owner.robot}`);
    await told(stream, 'twin');
    await page.ask('DELETE', `robots/${owner.robot}`);
    await told(stream, 'robots', ({ total }) => total === 0);
    assert.equal((await open(`?robot=${owner.robot}`)).status, 404);
  });

  it('tells its page that the instance ends', async () => {
    const apart = await Bench.start();
    const leaving = await PageVisitor.signIn(apart, (await apart.owner()).account);
    const stream = await leaving.live();
    await told(stream, 'robots');
    await apart.stop();
    assert.equal(await stream.closed, true);
    assert.deepEqual(last(stream, 'drain')?.data, {});
  });
});
