import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { callName, fingerprint } from '../src/idempotency/idempotency-key.js';
import { TestSystem, type Answer, type Owner } from './test-system.js';
import { commandAnswers } from './command-answers.js';

const coffee = { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 };
const outlivesMs = 2_500;

describe('Idempotency-Key', () => {
  let system: TestSystem;
  let other: TestSystem;
  let owner: Owner;
  let key: string;

  before(async () => {
    system = await TestSystem.start({ outlivesMs });
    other = await TestSystem.start({ outlivesMs });
  });
  beforeEach(async () => {
    owner = await system.ownerOnline();
    key = randomUUID();
    system.link.answer = commandAnswers;
    system.link.onWait = () => {};
    for (const list of [system.link.commands, system.link.waits, system.link.waitEnds]) list.length = 0;
  });
  after(async () => {
    await system.stop();
    await other.stop();
  });

  const act = (
    action: string,
    body: unknown,
    { at = system, signal, as = key, apiKey = owner.apiKey }: { at?: TestSystem; signal?: AbortSignal; as?: string; apiKey?: string } = {},
  ): Promise<Answer> =>
    at.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey, body, headers: { 'idempotency-key': as }, ...(signal && { signal }) });
  const replayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
  const sentCommands = (): string[] => system.link.commands.map(({ command }) => command.name);
  const record = async (): Promise<string> => {
    const { keyHash } = (await system.store.apiKeys.admit({ apiKey: owner.apiKey, cost: 0 })) as { keyHash: string };
    return callName(keyHash, key);
  };

  it('executes a call once and answers repeats from its outcome, marked as replayed, on another gateway too', async () => {
    const first = await act('move', { yaw: 20, pitch: 30 });
    assert.deepEqual([first.status, replayed(first)], [200, false]);
    for (const at of [system, other]) {
      const again = await act('move', { pitch: 30, yaw: 20 }, { at });
      assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    }
    assert.deepEqual(sentCommands(), ['head.move']);
  });

  it('executes one of 24 concurrent calls on two gateways, and gives all of them its answer', async () => {
    system.link.answer = async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return commandAnswers(message);
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? system : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.equal(answers.filter((answer) => !replayed(answer)).length, 1);
    assert.deepEqual(sentCommands(), ['head.move']);
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
    assert.deepEqual(sentCommands(), ['leds.set']);
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
    assert.equal((await act('leds', { color: 'blue' }, { apiKey })).status, 200);
    const { robot, token } = await system.store.robots.create({ account: owner.account });
    await system.link.take(robot, token);
    const there = await system.ask('POST', `/v1/robots/${robot}/leds`, {
      apiKey: owner.apiKey,
      body: { color: 'green' },
      headers: { 'idempotency-key': key },
    });
    assert.equal(there.status, 200);
    assert.equal(sentCommands().length, 3);
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
    assert.deepEqual(sentCommands(), ['leds.set']);
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
      assert.deepEqual(sentCommands(), ['bubble']);
    });
  }

  it('gives the rejection of a call to all requests that wait for it, without retrying it for each', async () => {
    const waiting = async ({ metrics }: TestSystem): Promise<number> => Number(/held_calls\{kind="wait"\} (\d+)/.exec(await metrics.metrics())?.[1]);
    system.link.answer = async ({ id }) => {
      await until(async () => (await waiting(system)) + (await waiting(other)) === 9, { what: 'nine to wait for the tenth' });
      // They subscribe a moment after they are counted.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { t: 'nack', id, code: 'robot_busy', error: 'Busy.' };
    };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? system : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [503, 'robot_busy']);
    assert.equal(sentCommands().length, 1);
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

  it('answers 400 for a body nested too deeply', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const { status } = await system.ask('POST', `/v1/robots/${owner.robot}/leds`, {
      apiKey: owner.apiKey,
      body: deep,
      headers: { 'idempotency-key': key },
    });
    assert.equal(status, 400);
  });

  it('charges one for a replay, also of a scene', async () => {
    const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)?.[1]);
    const body = { actions: Array.from({ length: 10 }, () => ({ action: 'face', emotion: 'happy' })) };
    const first = await act('scene', body);
    const again = await act('scene', body, { at: other });
    assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    assert.equal(sentCommands().length, 10);
    assert.ok(left(again) >= left(first) - 1, `${left(first)} and ${left(again)}`);
    const empty = await Promise.all(Array.from({ length: 40 }, () => act('scene', body)));
    assert.ok(empty.some(({ status }) => status === 429));
    assert.equal(sentCommands().length, 10);
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
    assert.equal(sentCommands().length, 2);
  });

  it('executes stop once', async () => {
    const first = await act('stop', {});
    const again = await act('stop', {}, { at: other });
    assert.deepEqual([again.body, replayed(again)], [first.body, true]);
    assert.equal(sentCommands().length, 3);
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
    const fresh = await TestSystem.start();
    try {
      const { status } = await fresh.act(owner, 'leds', { color: 'red' });
      assert.equal(status, 200);
      const { commands } = fresh.store.connections;
      assert.deepEqual(
        [await commands.exists(`perch:{${owner.robot}}:calls`), await commands.exists(`perch:{${fresh.store.instance}}:beat`)],
        [0, 0],
      );
    } finally {
      await fresh.stop();
    }
  });

  it('treats a key as new after ten minutes', async () => {
    await act('leds', { color: 'red' });
    await system.store.connections.commands.pexpire(`perch:{${owner.robot}}:call:${await record()}`, 1);
    await until(async () => (await system.store.connections.commands.exists(`perch:{${owner.robot}}:call:${await record()}`)) === 0);
    const { status } = await act('leds', { color: 'blue' });
    assert.deepEqual([status, sentCommands()], [200, ['leds.set', 'leds.set']]);
  });

  describe('a wait with an Idempotency-Key', () => {
    const answer = (): Promise<boolean> => system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const waitReceived = (count = 1): Promise<unknown> => until(() => system.link.waits.length >= count, { what: `wait ${count}` });
    const disconnect = async (at = system): Promise<void> => {
      const abort = new AbortController();
      const call = act('ask', coffee, { signal: abort.signal, at });
      await waitReceived();
      abort.abort();
      await assert.rejects(call);
    };

    it('joins requests that arrive while the wait is open: it is drawn once and all get its answer', async () => {
      const calls = [act('ask', coffee), act('ask', coffee, { at: other })];
      await waitReceived();
      calls.push(act('ask', coffee, { at: other }), act('ask', coffee));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await answer();
      for (const { status, body } of await Promise.all(calls)) assert.deepEqual([status, body.answer, body.index], [200, 'No', 1]);
      const late = await act('ask', coffee, { at: other });
      assert.deepEqual([late.body.answer, replayed(late)], ['No', true]);
      assert.equal(system.link.waits.length, 1);
    });

    it('continues the wait after its client disconnected, and answers the client at another gateway', async () => {
      await disconnect();
      const back = act('ask', coffee, { at: other });
      // Longer than the call would continue without a client.
      await new Promise((resolve) => setTimeout(resolve, outlivesMs * 2));
      assert.deepEqual(system.link.waitEnds, []);
      await answer();
      const { body, ...rest } = await back;
      assert.deepEqual([body.answer, replayed({ body, ...rest })], ['No', true]);
      assert.equal(system.link.waits.length, 1);
    });

    it('stores the answer given while no client waited, and returns it to a client that reconnects', async () => {
      await disconnect();
      await answer();
      const { body } = await act('ask', coffee, { at: other });
      assert.deepEqual([body.answer, system.link.waits.length], ['No', 1]);
    });

    it('cancels the wait when no client comes back, so that the key can be used again', async () => {
      await disconnect();
      await until(() => system.link.waitEnds.length === 1, { what: 'its end' });
      system.link.onWait = (wait) => void system.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
      const { body } = await act('ask', coffee, { at: other });
      assert.deepEqual([body.answer, system.link.waits.length], ['Yes', 2]);
    });

    it('replays that a newer wait replaced it', async () => {
      const first = act('ask', coffee);
      await waitReceived();
      const newer = system.act(owner, 'ask', { ...coffee, timeout_s: 0.2 });
      assert.equal((await first).body.outcome, 'replaced');
      await newer;
      assert.equal((await act('ask', coffee, { at: other })).body.outcome, 'replaced');
      assert.equal(system.link.waits.length, 2);
    });

    it('ends all requests of a revoked API key that wait for the call', async () => {
      const calls = [act('ask', coffee), act('ask', coffee, { at: other })];
      await waitReceived();
      await system.store.apiKeys.revoke(owner.account, owner.keyId);
      for (const { status } of await Promise.all(calls)) assert.equal(status, 401);
      assert.equal(system.link.waits.length, 1);
    });
  });

  describe('a call of a gateway that died', () => {
    /** Stores a call in flight of the dead gateway. @param ageMs age of the call */
    const left = async (action: string, body: unknown, ageMs = 0): Promise<string> => {
      const name = await record();
      const { calls, connections } = system.store;
      await calls.begin(owner.robot, name, { fingerprint: fingerprint(action, body), claim: 'dead', gateway: 'gw-dead' });
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
      const calls = [act('move', { yaw: 3 }), act('move', { yaw: 3 }, { at: other })];
      await new Promise((resolve) => setTimeout(resolve, 300));
      await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: { yaw: 3, pitch: 45 } });
      for (const answer of await Promise.all(calls)) assert.deepEqual([answer.body, replayed(answer)], [{ ok: true, yaw: 3, pitch: 45 }, true]);
      assert.deepEqual(sentCommands(), []);
    });

    it('answers outcome_unknown for a command that the robot did not ack in time, as long as the key is kept, and sends nothing', async () => {
      await left('move', { yaw: 3 }, 60_000);
      for (const at of [system, other, system]) {
        const { status, body } = await act('move', { yaw: 3 }, { at });
        assert.deepEqual([status, body.code], [503, 'outcome_unknown']);
      }
      assert.deepEqual(sentCommands(), []);
    });

    it('answers outcome_unknown for a stop, and for a scene with the results so far', async () => {
      await left('stop', {}, 60_000);
      assert.equal((await act('stop', {})).body.code, 'outcome_unknown');
      key = randomUUID();
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
      assert.deepEqual(sentCommands(), []);
    });

    it('gives the same answer when the robot is away by now', async () => {
      const name = await left('scene', { actions: [{ action: 'face', emotion: 'sad' }] }, 60_000);
      await system.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
      await system.link.release(owner.robot, 'away');
      const { body } = await act('scene', { actions: [{ action: 'face', emotion: 'sad' }] });
      assert.equal(body.code, 'outcome_unknown', 'a scene needs its robot to be checked');
      key = randomUUID();
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

    it('delivers a wait that the dead gateway opened but did not deliver, and opens one that it did not open', async () => {
      system.link.onWait = (wait) => void system.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
      const name = await left('ask', coffee);
      const { number } = await leftWait(name);
      assert.equal((await act('ask', coffee)).body.answer, 'Yes');
      assert.equal(system.link.waits[0]?.number, number);
      key = randomUUID();
      await left('ask', coffee);
      assert.equal((await act('ask', coffee)).body.answer, 'Yes');
      assert.equal(system.link.waits.length, 2);
    });
  });
});
