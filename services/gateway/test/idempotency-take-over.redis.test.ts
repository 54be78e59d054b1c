import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { fingerprint } from '../src/idempotency/idempotent-calls.js';
import { coffee, replayed, useKeyedCalls } from './keyed-calls.js';
import { commandAnswers } from './test-link.js';

describe('a call of a gateway that died', () => {
  const calls = useKeyedCalls();
  const { system, other, owner, act } = calls;

  /** Stores a call in flight of the dead gateway. @param ageMs age of the call */
  const left = async (action: string, body: unknown, ageMs = 0): Promise<string> => {
    const name = await calls.callName();
    const { connections } = system.store;
    await system.store.calls.begin(owner.robot, name, { fingerprint: fingerprint(action, body), claim: 'dead', gateway: 'gw-dead' });
    await connections.commands.hincrby(`perch:{${owner.robot}}:call:${name}`, 'begun_at', -ageMs);
    return name;
  };

  /** Stores a wait that the dead gateway opened but did not deliver. @param name of the call */
  const leftWait = async (name: string) => {
    const wait = {
      number: (await system.store.waits.number(owner.robot))!,
      kind: 'ask' as const,
      targets: [],
      picture: null,
      timeoutMs: 20_000,
      gateway: 'gw-dead',
      call: 'gw-dead.1',
      requestId: 'q',
      keptMs: 600_000,
    };
    await system.store.waits.open(owner.robot, wait, { name, claim: 'dead' });
    return wait;
  };

  it('answers what the robot acked, on both gateways, and sends nothing', async () => {
    const name = await left('move', { yaw: 3 });
    const acts = [act('move', { yaw: 3 }), act('move', { yaw: 3 }, { at: other })];
    await new Promise((resolve) => setTimeout(resolve, 300));
    await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: { yaw: 3, pitch: 45 } });
    for (const answer of await Promise.all(acts)) assert.deepEqual([answer.body, replayed(answer)], [{ ok: true, yaw: 3, pitch: 45 }, true]);
    assert.deepEqual(calls.sentCommands(), []);
  });

  it('answers outcome_unknown for a command that the robot did not ack in time, as long as the key is kept, and sends nothing', async () => {
    await left('move', { yaw: 3 }, 60_000);
    for (const at of [system, other, system]) {
      const { status, body } = await act('move', { yaw: 3 }, { at });
      assert.deepEqual([status, body.code], [503, 'outcome_unknown']);
    }
    assert.deepEqual(calls.sentCommands(), []);
  });

  it('answers outcome_unknown for a stop, which ends no newer wait', async () => {
    await left('stop', {}, 60_000);
    const newer = system.act(owner, 'ask', coffee);
    await until(() => system.link.waits.length === 1);
    assert.equal((await act('stop', {})).body.code, 'outcome_unknown');
    assert.deepEqual(calls.sentCommands(), []);
    await system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await newer).body.answer, 'Yes');
  });

  it('answers outcome_unknown for a scene, with the results so far', async () => {
    const body = {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'move', yaw: 9 },
        { action: 'leds', off: true },
      ],
    };
    const name = await left('scene', body, 60_000);
    await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
    const { status, body: said } = await act('scene', body);
    assert.deepEqual([status, said.code, said.field, said.results], [503, 'outcome_unknown', 'actions[1]', [{ ok: true }]]);
    assert.deepEqual(calls.sentCommands(), []);
  });

  it('gives the same answer when the robot is away by now', async () => {
    const name = await left('scene', { actions: [{ action: 'face', emotion: 'sad' }] }, 60_000);
    await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
    await system.link.release(owner.robot, 'away');
    const { body } = await act('scene', { actions: [{ action: 'face', emotion: 'sad' }] });
    assert.equal(body.code, 'outcome_unknown', 'a scene needs its robot to be checked');
    calls.renewKey();
    await system.store.calls.keepReply(owner.robot, { call: await left('face', { emotion: 'sad' }), at: 0 }, { t: 'ack', id: 'x', result: {} });
    assert.equal((await act('face', { emotion: 'sad' })).status, 200);
  });

  it('continues the wait without drawing it again, and answers it after the tap', async () => {
    const name = await left('ask', coffee);
    const wait = await leftWait(name);
    await system.store.waits.arm(owner.robot, system.link.sessionOf(owner.robot), wait, { bootId: 'b1', ms: 1, seq: 0 });
    const call = act('ask', coffee);
    await until(async () => (await system.store.calls.read(owner.robot, name))?.claim !== 'dead');
    await system.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body, ...rest } = await call;
    assert.deepEqual([body.answer, replayed({ body, ...rest }), system.link.waits.length], ['Yes', true, 0]);
  });

  it('answers a scene that another gateway took over before its question was shown with the outcome at that gateway', async () => {
    const body = {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'ask', ...coffee },
      ],
    };
    const name = await calls.callName();
    await other.store.instances.announce();
    system.link.answer = async (message) => {
      const { claim } = (await system.store.calls.read(owner.robot, name))!;
      const taken = { fingerprint: fingerprint('scene', body), claim: 'taken', gateway: other.store.instance };
      await other.store.calls.resume(owner.robot, name, taken, claim);
      return commandAnswers(message);
    };
    const call = act('scene', body);
    await until(async () => (await system.store.calls.read(owner.robot, name))?.claim === 'taken');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.store.calls.end(owner.robot, name, 'taken', { answer: { ok: true, results: [] } });
    const answer = await call;
    assert.deepEqual([answer.status, answer.body, replayed(answer)], [200, { ok: true, results: [] }, true]);
    assert.deepEqual([calls.sentCommands(), system.link.waits.length], [['face'], 0]);
  });

  it('delivers a wait that the dead gateway opened but did not deliver, and opens one that it did not open', async () => {
    system.link.onWait = (wait) => void system.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const name = await left('ask', coffee);
    const { number } = await leftWait(name);
    assert.equal((await act('ask', coffee)).body.answer, 'Yes');
    assert.equal(system.link.waits[0]?.number, number);
    calls.renewKey();
    await left('ask', coffee);
    assert.equal((await act('ask', coffee)).body.answer, 'Yes');
    assert.equal(system.link.waits.length, 2);
  });
});
