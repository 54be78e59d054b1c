import assert from 'node:assert/strict';
import type { EventStreamClient, StreamRecord } from '@perch/testkit';
import { until } from '@perch/testkit';
import { GatewayUnderTest, useGateway, useOwner } from '../gateway-under-test.js';
import { SessionClient } from './session-client.js';

const doing = {
  bubble: 'hello',
  head: { yaw: 20, pitch: 30, moving: true },
  leds: { pixels: Array.from({ length: 12 }, () => '#000000'), effect: null },
  sound: true,
};

describe('the live stream of a page', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;
  const streams: EventStreamClient[] = [];

  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  async function open(query = '', headers: Record<string, string> = {}, from = page): Promise<EventStreamClient> {
    const stream = await from.live(query, headers);
    streams.push(stream);
    return stream;
  }
  const last = ({ records }: EventStreamClient, event: string): StreamRecord | undefined => records.findLast((record) => record.event === event);
  const received = (stream: EventStreamClient, event: string, fits: (data: any) => boolean = () => true): Promise<any> =>
    until(
      () => {
        const data = last(stream, event)?.data;
        return data !== undefined && fits(data) ? { data } : null;
      },
      { what: `a record ${event} that fits` },
    ).then(({ data }) => data);
  const seqs = ({ records }: EventStreamClient): number[] => records.filter(({ event }) => event === 'event').map(({ id }) => Number(id));

  it('sends the list of robots first, and again when a robot connects, changes, disconnects or is removed', async () => {
    const stream = await open();
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    assert.equal(stream.headers.get('perch-account'), owner.account);
    const first = await received(stream, 'robots');
    assert.deepEqual([first.ok, first.total, first.robots[0].id, first.robots[0].online], [true, 1, owner.robot, false]);
    await system.link.take(owner.robot, owner.token);
    await received(stream, 'robots', ({ robots }) => robots[0].online === true);
    await page.ask('PATCH', `robots/${owner.robot}`, { name: 'Kitchen' });
    await received(stream, 'robots', ({ robots }) => robots[0].name === 'Kitchen');
    await system.link.release(owner.robot, 'away');
    await received(stream, 'robots', ({ robots }) => robots[0].online === false && robots[0].battery_pct === 81);
    await page.ask('DELETE', `robots/${owner.robot}`);
    await received(stream, 'robots', ({ total }) => total === 0);
  });

  it('sends nothing while only last_seen of an online robot advances', async () => {
    await system.link.take(owner.robot, owner.token);
    const stream = await open();
    const other = await open();
    for (const one of [stream, other]) await received(one, 'robots');
    // Two polls pass.
    await new Promise((resolve) => setTimeout(resolve, 3100));
    await page.ask('PATCH', `robots/${owner.robot}`, { name: 'Kitchen' });
    for (const one of [stream, other]) {
      await received(one, 'robots', ({ robots }) => robots[0].name === 'Kitchen');
      assert.equal(one.records.length, 2);
    }
  });

  it('sends the snapshot of the watched robot from its robot-link, and each change', async () => {
    await system.link.take(owner.robot, owner.token);
    system.link.doing = doing;
    const stream = await open(`?robot=${owner.robot}`);
    // The first polls may time out at the robot-link.
    const first = await received(stream, 'twin', ({ bubble }) => bubble !== null);
    assert.deepEqual(first, {
      online: true,
      showing: { card: null, question: null, emotion: 'happy', view: 'face' },
      ...doing,
      readings: { battery_pct: 81 },
      readings_at: new Date(1_790_000_000_000).toISOString(),
    });
    system.link.doing = { ...doing, bubble: null, sound: false };
    await received(stream, 'twin', ({ bubble, sound }) => bubble === null && sound === false);
    await system.link.release(owner.robot, 'away');
    const away = await received(stream, 'twin', ({ online }) => online === false);
    assert.deepEqual([away.head.yaw, away.leds.pixels, away.readings.battery_pct], [null, null, 81]);
  });

  it('keeps the last state of a robot while its robot-link does not reply in time', async () => {
    await system.link.take(owner.robot, owner.token);
    system.link.doing = doing;
    const stream = await open(`?robot=${owner.robot}`);
    await received(stream, 'twin', ({ bubble }) => bubble === 'hello');
    const known = stream.records.length;
    const state = system.link.state;
    system.link.state = null;
    const statesBefore = system.link.states.length;
    await until(() => system.link.states.length >= statesBefore + 3, { what: 'three polls without a reply' });
    system.link.state = { ...state!, readings: { battery_pct: 80 } };
    await received(stream, 'twin', ({ readings }) => readings.battery_pct === 80);
    system.link.state = state;
    assert.ok(stream.records.slice(known).every(({ event, data }) => event !== 'twin' || data.bubble === 'hello'));
  });

  it('polls a robot once for all pages that watch it', async () => {
    await system.link.take(owner.robot, owner.token);
    system.link.doing = doing;
    const some = await Promise.all(Array.from({ length: 6 }, () => open(`?robot=${owner.robot}`)));
    await Promise.all(some.map((stream) => received(stream, 'twin')));
    const [before, at] = [system.link.states.length, performance.now()];
    await until(() => system.link.states.length >= before + 3);
    // Three polls of one poller take 1.2 s; six pollers would send them almost at once.
    assert.ok(performance.now() - at > 600, String(performance.now() - at));
    for (const stream of streams.splice(0)) stream.close();
    await until(
      async () => {
        const count = system.link.states.length;
        await new Promise((resolve) => setTimeout(resolve, 900));
        return system.link.states.length === count;
      },
      { what: 'polling to end with the pages' },
    );
  });

  it('sends earlier events first, then new ones, and resumes after Last-Event-ID', async () => {
    await system.link.take(owner.robot, owner.token);
    for (let i = 0; i < 3; i++) await system.link.event(owner.robot, 'tap', { x: i, y: 0 });
    const stream = await open(`?robot=${owner.robot}`);
    await until(() => seqs(stream).length === 3);
    await system.link.event(owner.robot, 'pat', { ms: 90 });
    await until(() => seqs(stream).length === 4);
    assert.deepEqual(seqs(stream), [1, 2, 3, 4]);
    assert.deepEqual([last(stream, 'event')?.data.name, last(stream, 'event')?.data.seq], ['pat', 4]);
    const again = await open(`?robot=${owner.robot}`, { 'last-event-id': '3' });
    await until(() => seqs(again).length === 1);
    assert.deepEqual(seqs(again), [4]);
    const ahead = await open(`?robot=${owner.robot}`, { 'last-event-id': '5' });
    for (let i = 0; i < 2; i++) await system.link.event(owner.robot, 'tap');
    await until(() => seqs(ahead).length === 1);
    assert.deepEqual(seqs(ahead), [6], 'an id above the highest number waits for greater ones');
  });

  it('sends a gap record for events that are no longer stored', async () => {
    await system.link.take(owner.robot, owner.token);
    for (let i = 0; i < 8; i++) await system.link.event(owner.robot, 'tap', { x: i, y: 0 });
    await system.store.connections.commands.xtrim(`perch:{${owner.robot}}:events`, 'MAXLEN', 3);
    const stream = await open(`?robot=${owner.robot}`, { 'last-event-id': '2' });
    assert.deepEqual(await received(stream, 'gap'), { after: 2, oldest: 6, dropped: true });
    await until(() => seqs(stream).length === 3);
    assert.deepEqual(seqs(stream), [6, 7, 8]);
  });

  it('ends within about a second after its session was revoked, while streams of other sessions continue', async () => {
    const other = await SessionClient.signIn(system, owner.account);
    const [ended, going] = [await open(), await open('', {}, other)];
    await system.store.sessions.end(owner.account, page.keyHash);
    assert.equal(await ended.closed, true);
    assert.equal(last(ended, 'end')?.data.code, 'signed_out');
    assert.equal((await page.live()).status, 401);
    await page.system.store.robots.rename(owner.account, owner.robot, 'Still here');
    await received(going, 'robots', ({ robots }) => robots[0].name === 'Still here');
  });

  it('refuses a ninth stream of a session with 429, and accepts one after another has closed', async () => {
    const eight = await Promise.all(Array.from({ length: 8 }, () => open()));
    const refused = await open();
    await refused.closed;
    assert.deepEqual([refused.status, JSON.parse(refused.body).code], [429, 'rate_limited']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    eight[0]!.close();
    await until(async () => (await open()).status === 200, { everyMs: 300 });
  });

  it('publishes the removal of a watched robot in the list, and answers 404 to a new stream for it', async () => {
    await system.link.take(owner.robot, owner.token);
    const stream = await open(`?robot=${owner.robot}`);
    await received(stream, 'twin');
    await page.ask('DELETE', `robots/${owner.robot}`);
    await received(stream, 'robots', ({ total }) => total === 0);
    assert.equal((await open(`?robot=${owner.robot}`)).status, 404);
  });

  it('sends a drain record and closes when the instance stops', async () => {
    const apart = await GatewayUnderTest.start();
    const leaving = await SessionClient.signIn(apart, (await apart.owner()).account);
    const stream = await leaving.live();
    await received(stream, 'robots');
    await apart.stop();
    assert.equal(await stream.closed, true);
    assert.deepEqual(last(stream, 'drain')?.data, {});
  });
});
