import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { checkedApi, connected, onSharedSystems } from '../fixture/system/shared-systems.js';

interface Event {
  seq: number;
  name: string;
}

onSharedSystems('reads', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const events = async (query = '') => (await api.get(`/v1/robots/${id}/events${query}`)).body;
    await connected(api, id);
    return { tenant, id, robot, api, events };
  }

  async function taps(robot: VirtualRobot, count: number): Promise<void> {
    for (let i = 1; i <= count; i++) await robot.tap(5, i, { instant: true });
    await robot.until((r) => r.inputs.unacked.length === 0, { what: 'all taps to be stored' });
  }

  it("GET robots lists the key's robots, online or not, with what each reported and the commands that programs may send", async () => {
    const { tenant, id, api } = await setUp();
    const never = await tenant.offlineRobot();
    const other = await tenant.robot({ model: 'other', firmware: '2.5.1', features: ['screen', 'touch'], commands: [] });
    const { robots } = (await api.get('/v1/robots')).body;
    const byId = new Map<string, any>(robots.map((robot: { id: string }) => [robot.id, robot]));
    assert.equal(byId.size, 3);
    assert.deepEqual(byId.get(never.id), { id: never.id, name: never.id, online: false, model: '', firmware: '', commands: [], labels: {} });
    const declared = { model: 'other', firmware: '2.5.1', features: ['screen', 'touch'], commands: [] };
    assert.deepEqual(byId.get(other.id), { id: other.id, name: other.id, online: true, ...declared, labels: {} });
    const { online, commands } = byId.get(id);
    assert.equal(online, true);
    assert.deepEqual(
      commands.map(({ name }: { name: string }) => name),
      ['sticker', 'brightness', 'screen', 'power_led', 'ir_send'],
    );
    assert.deepEqual(commands[1].args.properties, { pct: { type: 'integer', minimum: 0, maximum: 100 } });

    await other.robot.stop();
    await until(async () => !(await api.get('/v1/robots')).body.robots.some((robot: any) => robot.id === other.id && robot.online), {
      what: 'it to be away',
    });
  });

  it('a key without robots gets an empty list', async () => {
    const api = await checkedApi(await system().tenant());
    assert.deepEqual((await api.get('/v1/robots')).body, { ok: true, robots: [], next: null });
  });

  it('the state has the latest value of each reading, null for a failed sensor, and no value that a sensor cannot have measured', async () => {
    const { id, robot, api } = await setUp();
    const readings = {
      battery_pct: 12,
      light_lux: 0,
      head_yaw_deg: -3.5,
      charging: false,
      wifi_ssid: 'Ünï',
      ip_address: '10.0.0.7',
      chip_temp_c: null,
    };
    for (const [name, value] of Object.entries(readings)) robot.setReading(name, value);
    robot.setReading('battery_v', 99);
    robot.setReading('no_such_reading', 1);
    const asked = Date.now();
    robot.reportNow();
    const { body } = await until(async () => {
      const answer = await api.act(id, 'state');
      return answer.body.readings.battery_pct === 12 ? answer : null;
    });
    for (const [name, value] of Object.entries(readings)) assert.equal(body.readings[name], value, name);
    assert.ok(!('no_such_reading' in body.readings));
    assert.ok(body.readings.battery_v < 4.5, 'keeps what it had');
    assert.equal(typeof body.readings.gyro_z_dps, 'number');
    assert.ok(Math.abs(Date.parse(body.readings_at) - asked) < 3000, body.readings_at);
  });

  it('the state has what is shown on the screen, by GET and by POST', async () => {
    const { id, robot, api } = await setUp();
    assert.deepEqual((await api.act(id, 'state')).body.showing, { card: null, question: null, emotion: 'neutral', view: 'face' });
    await api.act(id, 'show', { text: 'x' });
    await api.act(id, 'face', { emotion: 'happy', view: 'readings' });
    const call = api.act(id, 'ask', { question: 'Q', answers: ['a', 'b'] });
    await robot.until((r) => r.screen.question !== null);
    const showing = { card: robot.screen.card!.id, question: robot.screen.question!.id, emotion: 'happy', view: 'readings' };
    await until(async () => {
      assert.deepEqual((await api.act(id, 'state', { nothing: 'is looked at' })).body.showing, showing);
      return true;
    });
    assert.deepEqual((await api.get(`/v1/robots/${id}`)).body.showing, showing);
    await until(async () => {
      await robot.tap(60, 170);
      return robot.screen.question === null;
    });
    await call;
    assert.deepEqual((await api.get(`/v1/robots/${id}`)).body.showing, { ...showing, question: null });
  });

  it('the state of a disconnected robot has its last readings and their time; that of a robot that never connected is empty', async () => {
    const { tenant, id, robot, api } = await setUp();
    robot.setReading('battery_pct', 17);
    robot.reportNow();
    const online = await until(async () => {
      const { body } = await api.get(`/v1/robots/${id}`);
      return body.readings.battery_pct === 17 ? body : null;
    });
    await robot.stop();
    const away = await until(async () => {
      const { body } = await api.get(`/v1/robots/${id}`);
      return body.online ? null : body;
    });
    assert.equal(away.readings.battery_pct, 17);
    assert.ok(Date.parse(away.readings_at) >= Date.parse(online.readings_at));
    const { id: never } = await tenant.offlineRobot();
    const { body } = await api.get(`/v1/robots/${never}`);
    assert.deepEqual([body.online, body.readings, body.readings_at, body.events, body.last_seq], [false, {}, null, [], 0]);
  });

  it('the state has the last 20 events, oldest first', async () => {
    const { id, robot, api } = await setUp();
    await taps(robot, 25);
    const { events, last_seq } = (await api.get(`/v1/robots/${id}`)).body;
    assert.equal(last_seq, 26, 'connected, and 25 taps');
    assert.deepEqual(
      events.map(({ seq, data }: any) => [seq, data.y]),
      Array.from({ length: 20 }, (_, i) => [i + 7, i + 6]),
    );
  });

  it('events after a number are returned oldest first and filtered by name, with last_seq covering the filtered ones, by GET and POST', async () => {
    const { id, robot, api, events } = await setUp();
    await taps(robot, 3);
    await robot.pat({ instant: true });
    await taps(robot, 1);
    const all = await events();
    assert.deepEqual(namesOf(all), ['connected', 'tap', 'tap', 'tap', 'pat', 'tap']);
    assert.deepEqual([all.last_seq, all.first_seq], [6, 1]);
    assert.deepEqual(await events('?after=0'), all, '0: the last ones kept');
    for (const [query, args, seqs] of [
      ['?after=4', { after: 4 }, [5, 6]],
      ['?names=pat', { names: ['pat'] }, [5]],
      ['?after=2&names=pat,connected', { after: 2, names: ['pat', 'connected'] }, [5]],
      ['?names=connected,+pat', { names: ['connected', 'pat'] }, [1, 5]],
      ['?names=', { names: [] }, [1, 2, 3, 4, 5, 6]],
      ['?after=6', { after: 6 }, []],
      ['?names=button&seconds=0', { names: ['button'], seconds: 0 }, []],
    ] as const) {
      const got = await events(query);
      assert.deepEqual(
        got.events.map(({ seq }: Event) => seq),
        seqs,
        query,
      );
      assert.deepEqual([got.last_seq, got.first_seq], [6, 1], query);
      assert.deepEqual((await api.act(id, 'events', args)).body, got, query);
    }
  });

  it('a read with `after` above the highest number waits and returns greater numbers only', async () => {
    const { robot, events } = await setUp();
    await taps(robot, 2);
    const poll = events('?after=4&seconds=20');
    await taps(robot, 2);
    const got = await poll;
    assert.deepEqual([got.events.map(({ seq }: Event) => seq), got.last_seq], [[5], 5]);
  });

  it('a waiting read returns with the event as soon as it is stored, by GET or POST on either gateway, and other events do not end it', async () => {
    const { tenant, id, robot, api, events } = await setUp();
    const { last_seq: after } = await events();
    const other = await checkedApi(tenant, 1);
    let answered = 0;
    const polls = [
      api.get(`/v1/robots/${id}/events?after=${after}&seconds=20&names=pat`),
      other.get(`/v1/robots/${id}/events?after=${after}&seconds=20&names=pat,pet`),
      other.act(id, 'events', { after, seconds: 20, names: ['pat'] }),
    ].map((poll) => poll.finally(() => answered++));
    await taps(robot, 1);
    assert.equal(answered, 0, 'a tap is not what they wait for');
    await robot.pat({ instant: true });
    const began = performance.now();
    for (const { status, body } of await Promise.all(polls)) {
      assert.deepEqual([status, namesOf(body), body.last_seq], [200, ['pat'], after + 2]);
    }
    assert.ok(performance.now() - began < 5000, 'not at the end of their time');
    assert.deepEqual((await events(`?after=${after + 2}`)).events, []);
  });

  it('a waiting read without a matching event returns empty after its time, with last_seq covering what was stored meanwhile', async () => {
    const { robot, events } = await setUp();
    const poll = events('?after=1&seconds=0.4&names=shaken');
    await taps(robot, 1);
    const got = await poll;
    assert.deepEqual([got.events, got.last_seq], [[], 2]);
  });

  it('deleted events are visible as a gap: first_seq is above after + 1', async () => {
    const link = await system().cluster.add('robot-link', { PERCH_EVENTS_KEPT: '10' });
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({}, system().cluster.links.indexOf(link));
    const api = await checkedApi(tenant);
    await connected(api, id);
    await taps(robot, 30);
    const { body } = await api.get(`/v1/robots/${id}/events?after=2`);
    assert.equal(body.last_seq, 31);
    assert.ok(body.first_seq > 3, `first_seq ${body.first_seq}`);
    assert.deepEqual(
      body.events.map(({ seq }: Event) => seq),
      Array.from({ length: 32 - body.first_seq }, (_, i) => body.first_seq + i),
    );
    assert.ok(body.events.length >= 10, 'at least as many as it is set to keep');
  });
});

function namesOf({ events }: { events: Event[] }): string[] {
  return events.map(({ name }) => name);
}
