import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { PlainRobot } from '../fixture/robots/plain-robot.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import type { SystemUnderTest, Tenant } from '../fixture/system/system-under-test.js';

onSharedSystems('a third-party robot', (system) => {
  const robots: PlainRobot[] = [];
  afterEach(() => {
    for (const robot of robots.splice(0)) robot.cut();
  });

  async function identity(on: SystemUnderTest): Promise<{ tenant: Tenant; id: string; token: string }> {
    const tenant = await on.tenant();
    const { robot: id, token } = await on.store.robots.create({ account: tenant.account });
    return { tenant, id, token };
  }
  function dial(token: string, link = 0): PlainRobot {
    const robot = new PlainRobot(system().link(link), token);
    robots.push(robot);
    return robot;
  }
  /** A short touch, in the number format of another JSON library. @param afterMs from the last ack, by the robot's clock */
  function touch(robot: PlainRobot, seq: number, x: number, y: number, afterMs = 350): void {
    robot.send({ y, x, kind: 'touch_down', ms: robot.ms + afterMs, seq, t: 'in', pressure: 0.4 });
    robot.sendText(
      `{"held_ms":90.0,"y":${y}.0,"x":${x}.0,"kind":"touch_up","ms":${robot.ms + afterMs + 90},"seq":${seq + 1}.0,"t":"in","extra":[1,{"a":null}]}`,
    );
  }
  const lower = { x: 60, y: 200 };

  it('a third-party robot with a minimal hello connects, is listed, and is sent only what it supports', async () => {
    const { tenant, id, token } = await identity(system());
    const robot = dial(token);
    const welcome = await robot.start();
    assert.equal(welcome['v'], 1);
    assert.equal(welcome['in_ack'], 0);
    const api = tenant.api();
    const state = await api.get(`/v1/robots/${id}`);
    assert.equal(state.status, 200);
    assert.equal(state.body.online, true);
    assert.deepEqual(state.body.commands, []);
    assert.equal((await api.act(id, 'show', { text: 'hi' })).status, 200);
    assert.match(String(robot.shows['card']), /^card-/);
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    assert.equal(robot.shows['card'], null);
    for (const [action, args] of [
      ['face', { emotion: 'happy' }],
      ['say', { text: 'x' }],
      ['move', { yaw: 1 }],
      ['leds', { color: 'red' }],
      ['sound', { chime: 'done' }],
      ['command', { command: 'x' }],
    ] as const) {
      const answer = await api.act(id, action, args);
      assert.equal(answer.status, 501, `${action}: ${JSON.stringify(answer.body)}`);
    }
  });

  it('a tap in the same millisecond as the ack is an early event, one 350 ms after it answers the question once, and their inputs are acked', async () => {
    const { tenant, id, token } = await identity(system());
    const robot = dial(token);
    await robot.start();
    robot.answer = (cmd) => {
      const ack = { t: 'ack', id: cmd.id, ok: true, ms: robot.ms };
      if (cmd.name !== 'screen.show') return ack;
      robot.send(ack);
      touch(robot, 1, lower.x, lower.y, 0);
      touch(robot, 3, lower.x, lower.y);
      return null;
    };
    const answer = await tenant.api().act(id, 'ask', { question: 'Q?', answers: ['a', 'b'], timeout_s: 5 });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.outcome, 'answered', JSON.stringify(answer.body));
    await robot.next(({ t, seq }) => t === 'in_ack' && seq === 4);
    await until(() => robot.shows['question'] === null);
    const events = await tenant.api().get(`/v1/robots/${id}/events`);
    assert.deepEqual(
      events.body.events.map(({ name, data }: { name: string; data: object }) => [name, data]),
      [
        ['connected', {}],
        ['tap', { ...lower, early: true }],
      ],
    );
  });

  it('a touch from before the ack and inputs resent after a reconnect of the same boot do not answer a question', async () => {
    const { tenant, id, token } = await identity(system());
    const robot = dial(token);
    await robot.start();
    robot.answer = (cmd) => {
      robot.send({ t: 'in', seq: 1, ms: robot.ms - 1, kind: 'touch_down', ...lower });
      return { t: 'ack', id: cmd.id, ok: true, ms: robot.ms };
    };
    const asked = tenant.api().act(id, 'ask', { question: 'Q?', answers: ['a', 'b'], timeout_s: 20 });
    await until(() => robot.shows['question'] !== null);
    robot.send({ t: 'in', seq: 2, ms: robot.ms + 50, kind: 'touch_up', ...lower, held_ms: 51 });
    await robot.next(({ t, seq }) => t === 'in_ack' && seq === 2);
    robot.cut();
    const again = dial(token, 1);
    Object.assign(again.shows, robot.shows);
    again.ms = 5000;
    const welcome = await again.start({ reason: 'reconnect', dial: 2 });
    assert.equal(welcome['in_ack'], 2);
    again.send({ t: 'in', seq: 1, ms: robot.ms - 1, kind: 'touch_down', ...lower });
    again.send({ t: 'in', seq: 2, ms: robot.ms + 50, kind: 'touch_up', ...lower, held_ms: 51 });
    touch(again, 3, lower.x, lower.y);
    assert.equal((await asked).body.outcome, 'answered');
    const events = await tenant.api().get(`/v1/robots/${id}/events`);
    assert.deepEqual(
      events.body.events.map(({ name }: { name: string }) => name).filter((name: string) => name !== 'connected'),
      ['tap'],
    );
  });

  it('a third-party robot receives a picture whole and may ack late, and any refusal code becomes an error', async () => {
    const { tenant, id, token } = await identity(system());
    const robot = dial(token);
    await robot.start();
    const api = tenant.api();
    robot.answer = (cmd) => {
      setTimeout(() => robot.send({ t: 'ack', id: cmd.id, ok: true, ms: robot.ms }), 1500);
      return null;
    };
    assert.equal((await api.act(id, 'show', { text: 'late' })).status, 200);
    const shown = robot.heard.find(({ name }) => name === 'screen.show') as unknown as { args: { stream: number; bytes: number } };
    assert.equal(Buffer.concat(robot.streams.get(shown.args.stream) ?? []).length, shown.args.bytes);
    for (const [code, status] of [
      ['busy', 503],
      ['bad_args', 400],
      ['sdcard_full', 503],
      ['unknown', 501],
    ] as const) {
      robot.answer = (cmd) => ({ t: 'ack', id: cmd.id, ok: false, ms: 12, code });
      assert.equal((await api.act(id, 'show', { text: code })).status, status);
    }
  });

  it('a robot that only sends pings gets pongs', async () => {
    const { token } = await identity(system());
    const robot = dial(token);
    await robot.start();
    robot.sendText('{"seq":3,"t":"ping","rssi":-40}');
    await robot.next(({ t }) => t === 'pong');
    robot.send({ t: 'telemetry', a: [1] });
    robot.send({ t: 'in', seq: 1, ms: 5, kind: 'squeeze', force: 3 });
    await robot.next(({ t, seq }) => t === 'in_ack' && seq === 1);
    assert.equal(robot.closed, null);
  });
});
