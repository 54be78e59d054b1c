import assert from 'node:assert/strict';
import type { ToGateway } from '@perch/schema';
import { until } from '@perch/testkit';
import { coffee, replayed, useKeyedCalls } from './keyed-calls.js';
import { GatewayUnderTest, type Answer } from './gateway-under-test.js';
import { commandAnswers } from './test-link.js';

describe('Idempotency-Key', () => {
  const calls = useKeyedCalls();
  const { system, other, owner, act } = calls;

  it('executes a call once and answers repeats from its outcome, marked as replayed, on another gateway too', async () => {
    const first = await act('move', { yaw: 20, pitch: 30 });
    assert.deepEqual([first.status, replayed(first)], [200, false]);
    for (const at of [system, other]) {
      const again = await act('move', { pitch: 30, yaw: 20 }, { at });
      assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    }
    assert.deepEqual(calls.sentCommands(), ['head.move']);
  });

  it('executes one of 24 concurrent calls on two gateways, and gives all of them its answer', async () => {
    system.link.answer = async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return commandAnswers(message);
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? system : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.equal(answers.filter((answer) => !replayed(answer)).length, 1);
    assert.deepEqual(calls.sentCommands(), ['head.move']);
  });

  it('answers 400 for the same key with other arguments or another action, and treats it as another key under another API key or robot', async () => {
    await act('leds', { color: 'red' });
    for (const [action, body] of [
      ['leds', { color: 'blue' }],
      ['face', { emotion: 'happy' }],
      ['scene', { actions: [{ action: 'leds', color: 'red' }] }],
      ['stop', {}],
    ] as const) {
      const { status, body: said } = await act(action, body, { at: other });
      assert.deepEqual([status, said.code, said.field], [400, 'bad_argument', 'Idempotency-Key'], action);
    }
    assert.deepEqual(calls.sentCommands(), ['leds.set']);
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
    assert.equal((await act('leds', { color: 'blue' }, { apiKey })).status, 200);
    const { robot, token } = await system.store.robots.create({ account: owner.account });
    await system.link.take(robot, token);
    const there = await system.ask('POST', `/v1/robots/${robot}/leds`, {
      apiKey: owner.apiKey,
      body: { color: 'green' },
      headers: { 'idempotency-key': calls.key },
    });
    assert.equal(there.status, 200);
    assert.equal(calls.sentCommands().length, 3);
  });

  it('answers 400 naming the header for an invalid key, and ignores it in reads', async () => {
    for (const bad of ['with space', 'ü', 'x'.repeat(256), '']) {
      for (const action of ['leds', 'scene']) {
        const { status, body } = await act(action, { color: 'red' }, { as: bad });
        assert.deepEqual([status, body.field], [400, 'Idempotency-Key'], bad);
      }
    }
    assert.equal((await act('leds', { color: 'red' }, { as: 'x'.repeat(255) })).status, 200);
    for (const at of [system, other]) assert.equal(replayed(await act('state', {}, { at })), false);
    assert.deepEqual(calls.sentCommands(), ['leds.set']);
  });

  it('stores nothing for a call rejected before a command was sent, so that the key can be used again', async () => {
    assert.equal((await act('leds', { color: 'nothing' })).status, 400);
    assert.equal((await act('command', { command: 'fly' })).status, 501);
    await system.link.release(owner.robot, 'away');
    assert.equal((await act('leds', { color: 'red' })).body.code, 'robot_offline');
    assert.equal((await act('ask', coffee)).body.code, 'robot_offline');
    await system.link.take(owner.robot, owner.token);
    system.link.answer = ({ id }) => ({ t: 'nack', id, code: 'robot_busy', error: 'Busy.' });
    assert.equal((await act('leds', { color: 'red' })).body.code, 'robot_busy');
    system.link.answer = commandAnswers;
    const done = await act('leds', { color: 'green' });
    assert.deepEqual([done.status, replayed(done)], [200, false]);
  });

  for (const code of ['card_showing', 'robot_hardware', 'no_ack', 'outcome_unknown'] as const) {
    it(`replays the robot's ${code} as the outcome without sending the command again`, async () => {
      system.link.answer = ({ id }) => ({ t: 'nack', id, code, error: 'No.' });
      const first = await act('say', { text: 'Hi' });
      const again = await act('say', { text: 'Hi' }, { at: other });
      assert.deepEqual([again.status, again.body.code, again.body.error, replayed(again)], [first.status, code, first.body.error, true]);
      assert.equal(again.headers.get('x-request-id'), again.body.request_id);
      assert.deepEqual(calls.sentCommands(), ['bubble']);
    });
  }

  it('gives the rejection of a call to all requests that wait for it, without retrying it for each', async () => {
    const waiting = (at: GatewayUnderTest): Promise<number> => at.metric('perch_gateway_held_calls{kind="wait"}');
    system.link.answer = async ({ id }) => {
      await until(async () => (await waiting(system)) + (await waiting(other)) === 9, { what: 'nine to wait for the tenth' });
      // They subscribe a moment after they are counted.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { t: 'nack', id, code: 'robot_busy', error: 'Busy.' };
    };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? system : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [503, 'robot_busy']);
    assert.equal(calls.sentCommands().length, 1);
    system.link.answer = commandAnswers;
    assert.equal((await act('move', { yaw: 7 })).status, 200);
  });

  it('reads a reply that was lost between robot-link and gateway from Redis', async () => {
    system.link.answer = async ({ step, robot }) => {
      await system.store.calls.keepReply(robot, step!, { t: 'ack', id: 'x', result: { yaw: 5, pitch: 45 } });
      // Ends the session, so that no reply to the command can arrive.
      await system.link.release(robot, 'away');
      return null;
    };
    assert.deepEqual((await act('move', { yaw: 5 })).body, { ok: true, yaw: 5, pitch: 45 });
  });

  for (const [action, body] of [
    ['face', { emotion: 'happy' }],
    ['leds', { color: 'red' }],
    ['move', { pitch: 3 }],
    ['move', { gesture: 'nod' }],
  ] as const) {
    it(`replays ${JSON.stringify({ action, ...body })} from the outcome that the robot-link stored, and stores none itself`, async () => {
      system.link.answer = async (message) => {
        const ack = commandAnswers(message) as Extract<ToGateway, { t: 'ack' }>;
        return (await system.link.store.calls.keepReply(message.robot, message.step!, ack)) === 'ended' ? { ...ack, ended: true } : ack;
      };
      const first = await act(action, body);
      assert.deepEqual([first.status, replayed(first)], [200, false]);
      const again = await act(action, body, { at: other });
      assert.deepEqual([again.status, JSON.stringify(again.body), replayed(again)], [200, JSON.stringify(first.body), true]);
      const fields = await system.store.connections.commands.hkeys(`perch:{${owner.robot}}:call:${await calls.callName()}`);
      assert.ok(fields.includes('claim'), 'the end of a call by its gateway leaves only its outcome');
      assert.equal(calls.sentCommands().length, 1);
    });
  }

  it('has the robot-link store no outcome of actions whose answer is more than the ack', async () => {
    await act('say', { text: 'Hi' });
    await act('scene', { actions: [{ action: 'face', emotion: 'sad' }] }, { as: 'scene' });
    await act('stop', {}, { as: 'stop' });
    assert.ok(system.link.commands.length >= 3);
    for (const { step } of system.link.commands) assert.ok(step !== undefined && !('answer' in step));
  });

  it('answers 400 for a body nested too deeply', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const { status } = await system.ask('POST', `/v1/robots/${owner.robot}/leds`, {
      apiKey: owner.apiKey,
      body: deep,
      headers: { 'idempotency-key': calls.key },
    });
    assert.equal(status, 400);
  });

  it('charges one for a replay, also of a scene', async () => {
    const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)?.[1]);
    const body = { actions: Array.from({ length: 10 }, () => ({ action: 'face', emotion: 'happy' })) };
    const first = await act('scene', body);
    const again = await act('scene', body, { at: other });
    assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    assert.equal(calls.sentCommands().length, 10);
    assert.ok(left(again) >= left(first) - 1, `${left(first)} and ${left(again)}`);
    const empty = await Promise.all(Array.from({ length: 120 }, () => act('scene', body)));
    assert.ok(empty.some(({ status }) => status === 429));
    assert.equal(calls.sentCommands().length, 10);
  });

  it('replays a scene that failed half-way with the results so far', async () => {
    system.link.answer = (message) =>
      message.command.name === 'bubble' ? { t: 'nack', id: message.id, code: 'card_showing', error: 'Covered.' } : commandAnswers(message);
    const body = {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'say', text: 'Hi' },
      ],
    };
    const first = await act('scene', body);
    const again = await act('scene', body, { at: other });
    const { request_id: _, ...said } = again.body;
    const { request_id: __, ...saidFirst } = first.body;
    assert.deepEqual(said, saidFirst);
    assert.deepEqual([said.field, said.results], ['actions[1]', [{ ok: true }]]);
    assert.equal(calls.sentCommands().length, 2);
  });

  it('executes stop once', async () => {
    const first = await act('stop', {});
    const again = await act('stop', {}, { at: other });
    assert.deepEqual([again.body, replayed(again)], [first.body, true]);
    assert.equal(calls.sentCommands().length, 3);
  });

  it('does not repeat a stop that ended only a wait, so that it ends no newer wait', async () => {
    const older = system.act(owner, 'ask', coffee);
    await until(() => system.link.waits.length === 1);
    system.link.answer = ({ id }) => ({ t: 'nack', id, code: 'robot_busy', error: 'Busy.' });
    assert.equal((await act('stop', {})).body.code, 'robot_busy');
    assert.equal((await older).body.outcome, 'replaced');
    system.link.answer = commandAnswers;
    const newer = system.act(owner, 'ask', coffee);
    await until(() => system.link.waits.length === 2);
    const again = await act('stop', {}, { at: other });
    assert.deepEqual([again.body.code, replayed(again)], ['robot_busy', true]);
    await system.link.settle(owner.robot, system.link.waits[1]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await newer).body.answer, 'Yes');
  });

  it('stores nothing and sends no heartbeat for calls without a key', async () => {
    const fresh = await GatewayUnderTest.start();
    try {
      const { status } = await fresh.act(owner, 'leds', { color: 'red' });
      assert.equal(status, 200);
      const { commands } = fresh.store.connections;
      assert.deepEqual(
        [await commands.exists(`perch:{${owner.robot}}:calls:minutes`), await commands.exists(`perch:{${fresh.store.instance}}:beat`)],
        [0, 0],
      );
    } finally {
      await fresh.stop();
    }
  });

  it('treats a key as new after ten minutes', async () => {
    await act('leds', { color: 'red' });
    await system.store.connections.commands.pexpire(`perch:{${owner.robot}}:call:${await calls.callName()}`, 1);
    await until(async () => (await system.store.connections.commands.exists(`perch:{${owner.robot}}:call:${await calls.callName()}`)) === 0);
    const { status } = await act('leds', { color: 'blue' });
    assert.deepEqual([status, calls.sentCommands()], [200, ['leds.set', 'leds.set']]);
  });
});
