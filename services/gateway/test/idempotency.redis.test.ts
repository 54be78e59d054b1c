import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { callName, fingerprint } from '../src/idempotency/idempotency-key.js';
import { Bench, type Answer, type Owner } from './bench.js';
import { commandAnswers } from './command-answers.js';

const coffee = { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 };
const outlivesMs = 2_500;

describe('Idempotency-Key', () => {
  let bench: Bench;
  let other: Bench;
  let owner: Owner;
  let key: string;

  before(async () => {
    bench = await Bench.start({ outlivesMs });
    other = await Bench.start({ outlivesMs });
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    key = randomUUID();
    bench.link.answer = commandAnswers;
    bench.link.onWait = () => {};
    for (const list of [bench.link.commands, bench.link.waits, bench.link.waitEnds]) list.length = 0;
  });
  after(async () => {
    await bench.stop();
    await other.stop();
  });

  const act = (
    action: string,
    body: unknown,
    { at = bench, signal, as = key, apiKey = owner.apiKey }: { at?: Bench; signal?: AbortSignal; as?: string; apiKey?: string } = {},
  ): Promise<Answer> =>
    at.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey, body, headers: { 'idempotency-key': as }, ...(signal && { signal }) });
  const replayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
  const told = (): string[] => bench.link.commands.map(({ command }) => command.name);
  const record = async (): Promise<string> => {
    const { keyHash } = (await bench.store.apiKeys.admit({ apiKey: owner.apiKey, cost: 0 })) as { keyHash: string };
    return callName(keyHash, key);
  };

  it('a call is done once and answered again, on another gateway too; the answer says so', async () => {
    const first = await act('move', { yaw: 20, pitch: 30 });
    assert.deepEqual([first.status, replayed(first)], [200, false]);
    for (const at of [bench, other]) {
      const again = await act('move', { pitch: 30, yaw: 20 }, { at });
      assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    }
    assert.deepEqual(told(), ['head.move']);
  });

  it('of 24 at the same time on two gateways one is done, and all get its answer', async () => {
    bench.link.answer = async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return commandAnswers(message);
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? bench : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.equal(answers.filter((answer) => !replayed(answer)).length, 1);
    assert.deepEqual(told(), ['head.move']);
  });

  it('the same key with other arguments or another action is 400 and does nothing; of another API key, or on another robot, it is another', async () => {
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
    assert.deepEqual(told(), ['leds.set']);
    const { apiKey } = await bench.store.apiKeys.create({ account: owner.account });
    assert.equal((await act('leds', { color: 'blue' }, { apiKey })).status, 200);
    const { robot, token } = await bench.store.robots.create({ account: owner.account });
    await bench.link.take(robot, token);
    const there = await bench.ask('POST', `/v1/robots/${robot}/leds`, {
      apiKey: owner.apiKey,
      body: { color: 'green' },
      headers: { 'idempotency-key': key },
    });
    assert.equal(there.status, 200);
    assert.equal(told().length, 3);
  });

  it('a key that is none is 400 and names the header; reads take no notice of one', async () => {
    for (const bad of ['with space', 'ü', 'x'.repeat(256), '']) {
      for (const action of ['leds', 'scene']) {
        const { status, body } = await act(action, { color: 'red' }, { as: bad });
        assert.deepEqual([status, body.field], [400, 'Idempotency-Key'], bad);
      }
    }
    assert.equal((await act('leds', { color: 'red' }, { as: 'x'.repeat(255) })).status, 200);
    for (const at of [bench, other]) assert.equal(replayed(await act('state', {}, { at })), false);
    assert.deepEqual(told(), ['leds.set']);
  });

  it('what was refused before the robot was told leaves nothing: the key can be used again', async () => {
    assert.equal((await act('leds', { color: 'nothing' })).status, 400);
    assert.equal((await act('command', { command: 'fly' })).status, 501);
    await bench.link.release(owner.robot, 'away');
    assert.equal((await act('leds', { color: 'red' })).body.code, 'robot_offline');
    assert.equal((await act('ask', coffee)).body.code, 'robot_offline');
    await bench.link.take(owner.robot, owner.token);
    bench.link.answer = ({ id }) => ({ t: 'nack', id, code: 'robot_busy', error: 'Busy.' });
    assert.equal((await act('leds', { color: 'red' })).body.code, 'robot_busy');
    bench.link.answer = commandAnswers;
    const done = await act('leds', { color: 'green' });
    assert.deepEqual([done.status, replayed(done)], [200, false]);
  });

  for (const code of ['card_showing', 'robot_hardware', 'no_ack', 'outcome_unknown'] as const) {
    it(`${code} of the robot is its outcome: it is told again, and the robot is not`, async () => {
      bench.link.answer = ({ id }) => ({ t: 'nack', id, code, error: 'No.' });
      const first = await act('say', { text: 'Hi' });
      const again = await act('say', { text: 'Hi' }, { at: other });
      assert.deepEqual([again.status, again.body.code, again.body.error, replayed(again)], [first.status, code, first.body.error, true]);
      assert.equal(again.headers.get('x-request-id'), again.body.request_id);
      assert.deepEqual(told(), ['bubble']);
    });
  }

  it('what refuses a call refuses all who wait for it, and is not tried again for each', async () => {
    const waiting = async ({ metrics }: Bench): Promise<number> => Number(/held_calls\{kind="wait"\} (\d+)/.exec(await metrics.metrics())?.[1]);
    bench.link.answer = async ({ id }) => {
      await until(async () => (await waiting(bench)) + (await waiting(other)) === 9, { what: 'nine to wait for the tenth' });
      // They listen a moment after they are counted.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { t: 'nack', id, code: 'robot_busy', error: 'Busy.' };
    };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => act('move', { yaw: 7 }, { at: i % 2 ? bench : other })));
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [503, 'robot_busy']);
    assert.equal(told().length, 1);
    bench.link.answer = commandAnswers;
    assert.equal((await act('move', { yaw: 7 })).status, 200);
  });

  it('a reply that went astray between the robot-link and the gateway is found where it is kept', async () => {
    bench.link.answer = async ({ step, robot }) => {
      await bench.store.calls.keepReply(robot, step!, { t: 'ack', id: 'x', result: { yaw: 5, pitch: 45 } });
      // Its session ends, so that nothing more is to be heard of the command.
      await bench.link.release(robot, 'away');
      return null;
    };
    assert.deepEqual((await act('move', { yaw: 5 })).body, { ok: true, yaw: 5, pitch: 45 });
  });

  it('a body as deep as no action takes it is 400', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const { status } = await bench.ask('POST', `/v1/robots/${owner.robot}/leds`, {
      apiKey: owner.apiKey,
      body: deep,
      headers: { 'idempotency-key': key },
    });
    assert.equal(status, 400);
  });

  it('a replay costs one of the bucket, of a scene too', async () => {
    const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)?.[1]);
    const body = { actions: Array.from({ length: 10 }, () => ({ action: 'face', emotion: 'happy' })) };
    const first = await act('scene', body);
    const again = await act('scene', body, { at: other });
    assert.deepEqual([again.status, again.body, replayed(again)], [200, first.body, true]);
    assert.equal(told().length, 10);
    assert.ok(left(again) >= left(first) - 1, `${left(first)} and ${left(again)}`);
    const empty = await Promise.all(Array.from({ length: 40 }, () => act('scene', body)));
    assert.ok(empty.some(({ status }) => status === 429));
    assert.equal(told().length, 10);
  });

  it('a scene that failed half-way is told again with what was done', async () => {
    bench.link.answer = (message) =>
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
    assert.equal(told().length, 2);
  });

  it('stop is done once', async () => {
    const first = await act('stop', {});
    const again = await act('stop', {}, { at: other });
    assert.deepEqual([again.body, replayed(again)], [first.body, true]);
    assert.equal(told().length, 3);
  });

  it('a stop that ended a wait and nothing else is not done again: it ends no newer wait', async () => {
    const older = bench.act(owner, 'ask', coffee);
    await until(() => bench.link.waits.length === 1);
    bench.link.answer = ({ id }) => ({ t: 'nack', id, code: 'robot_busy', error: 'Busy.' });
    assert.equal((await act('stop', {})).body.code, 'robot_busy');
    assert.equal((await older).body.outcome, 'replaced');
    bench.link.answer = commandAnswers;
    const newer = bench.act(owner, 'ask', coffee);
    await until(() => bench.link.waits.length === 2);
    const again = await act('stop', {}, { at: other });
    assert.deepEqual([again.body.code, replayed(again)], ['robot_busy', true]);
    await bench.link.settle(owner.robot, bench.link.waits[1]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await newer).body.answer, 'Yes');
  });

  it('without a key nothing is kept, and the gateway needs no heartbeat', async () => {
    const fresh = await Bench.start();
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

  it('after its ten minutes a key is new', async () => {
    await act('leds', { color: 'red' });
    await bench.store.connections.commands.pexpire(`perch:{${owner.robot}}:call:${await record()}`, 1);
    await until(async () => (await bench.store.connections.commands.exists(`perch:{${owner.robot}}:call:${await record()}`)) === 0);
    const { status } = await act('leds', { color: 'blue' });
    assert.deepEqual([status, told()], [200, ['leds.set', 'leds.set']]);
  });

  describe('of a wait', () => {
    const answer = (): Promise<boolean> => bench.link.settle(owner.robot, bench.link.waits[0]!, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const asked = (count = 1): Promise<unknown> => until(() => bench.link.waits.length >= count, { what: `wait ${count}` });
    const hungUp = async (at = bench): Promise<void> => {
      const abort = new AbortController();
      const call = act('ask', coffee, { signal: abort.signal, at });
      await asked();
      abort.abort();
      await assert.rejects(call);
    };

    it("who comes while it is open waits with it: it is drawn once, and its answer is everybody's", async () => {
      const calls = [act('ask', coffee), act('ask', coffee, { at: other })];
      await asked();
      calls.push(act('ask', coffee, { at: other }), act('ask', coffee));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await answer();
      for (const { status, body } of await Promise.all(calls)) assert.deepEqual([status, body.answer, body.index], [200, 'No', 1]);
      const late = await act('ask', coffee, { at: other });
      assert.deepEqual([late.body.answer, replayed(late)], ['No', true]);
      assert.equal(bench.link.waits.length, 1);
    });

    it('it outlives a hang-up: who comes back to another gateway gets its answer', async () => {
      await hungUp();
      const back = act('ask', coffee, { at: other });
      // Longer than it would go on with nobody there.
      await new Promise((resolve) => setTimeout(resolve, outlivesMs * 2));
      assert.deepEqual(bench.link.waitEnds, []);
      await answer();
      const { body, ...rest } = await back;
      assert.deepEqual([body.answer, replayed({ body, ...rest })], ['No', true]);
      assert.equal(bench.link.waits.length, 1);
    });

    it('it is answered with nobody there, and told who comes back later', async () => {
      await hungUp();
      await answer();
      const { body } = await act('ask', coffee, { at: other });
      assert.deepEqual([body.answer, bench.link.waits.length], ['No', 1]);
    });

    it('nobody comes back: it is taken away, and the key can be used again', async () => {
      await hungUp();
      await until(() => bench.link.waitEnds.length === 1, { what: 'its end' });
      bench.link.onWait = (wait) => void bench.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
      const { body } = await act('ask', coffee, { at: other });
      assert.deepEqual([body.answer, bench.link.waits.length], ['Yes', 2]);
    });

    it('a newer one replaces it, and that is its outcome', async () => {
      const first = act('ask', coffee);
      await asked();
      const newer = bench.act(owner, 'ask', { ...coffee, timeout_s: 0.2 });
      assert.equal((await first).body.outcome, 'replaced');
      await newer;
      assert.equal((await act('ask', coffee, { at: other })).body.outcome, 'replaced');
      assert.equal(bench.link.waits.length, 2);
    });

    it('a key that stops working ends all who wait with it', async () => {
      const calls = [act('ask', coffee), act('ask', coffee, { at: other })];
      await asked();
      await bench.store.apiKeys.revoke(owner.account, owner.keyId);
      for (const { status } of await Promise.all(calls)) assert.equal(status, 401);
      assert.equal(bench.link.waits.length, 1);
    });
  });

  describe('of a gateway that died', () => {
    /** What it left: a call that runs. @param ageMs how long ago it began */
    const left = async (action: string, body: unknown, ageMs = 0): Promise<string> => {
      const name = await record();
      const { calls, connections } = bench.store;
      await calls.begin(owner.robot, name, { fingerprint: fingerprint(action, body), claim: 'dead', gateway: 'gw-dead' });
      await connections.commands.hincrby(`perch:{${owner.robot}}:call:${name}`, 'begun_at', -ageMs);
      return name;
    };

    /** A wait that it opened and told nobody of. @param name of the call */
    const leftWait = async (name: string) => {
      const wait = {
        number: (await bench.store.waits.number(owner.robot))!,
        kind: 'ask' as const,
        targets: [],
        picture: null,
        timeoutMs: 20_000,
        gateway: 'gw-dead',
        call: 'gw-dead.1',
        requestId: 'q',
        keptMs: 600_000,
      };
      await bench.store.waits.open(owner.robot, wait, { name, claim: 'dead' });
      return wait;
    };

    it('what its robot acked is answered, on both gateways, and nothing is sent', async () => {
      const name = await left('move', { yaw: 3 });
      const calls = [act('move', { yaw: 3 }), act('move', { yaw: 3 }, { at: other })];
      await new Promise((resolve) => setTimeout(resolve, 300));
      await bench.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: { yaw: 3, pitch: 45 } });
      for (const answer of await Promise.all(calls)) assert.deepEqual([answer.body, replayed(answer)], [{ ok: true, yaw: 3, pitch: 45 }, true]);
      assert.deepEqual(told(), []);
    });

    it('what its robot did not ack in time is outcome_unknown, for as long as the key is kept, and nothing is sent', async () => {
      await left('move', { yaw: 3 }, 60_000);
      for (const at of [bench, other, bench]) {
        const { status, body } = await act('move', { yaw: 3 }, { at });
        assert.deepEqual([status, body.code], [503, 'outcome_unknown']);
      }
      assert.deepEqual(told(), []);
    });

    it('neither is what it did of a stop; of a scene the answer says how far it got', async () => {
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
      await bench.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
      const { status, body: said } = await act('scene', body);
      assert.deepEqual([status, said.code, said.field, said.results], [503, 'outcome_unknown', 'actions[1]', [{ ok: true }]]);
      assert.deepEqual(told(), []);
    });

    it('with its robot away by now the answer is the same', async () => {
      const name = await left('scene', { actions: [{ action: 'face', emotion: 'sad' }] }, 60_000);
      await bench.store.calls.keepReply(owner.robot, { call: name, at: 0 }, { t: 'ack', id: 'x', result: {} });
      await bench.link.release(owner.robot, 'away');
      const { body } = await act('scene', { actions: [{ action: 'face', emotion: 'sad' }] });
      assert.equal(body.code, 'outcome_unknown', 'a scene needs its robot to be checked');
      key = randomUUID();
      await bench.store.calls.keepReply(owner.robot, { call: await left('face', { emotion: 'sad' }), at: 0 }, { t: 'ack', id: 'x', result: {} });
      assert.equal((await act('face', { emotion: 'sad' })).status, 200);
    });

    it('its wait goes on: it is not drawn again, and is answered by the tap', async () => {
      const name = await left('ask', coffee);
      const wait = await leftWait(name);
      await bench.store.waits.arm(owner.robot, bench.link.sessionOf(owner.robot), wait, { bootId: 'b1', ms: 1, seq: 0 });
      const call = act('ask', coffee);
      await until(async () => (await bench.store.calls.read(owner.robot, name))?.claim !== 'dead');
      await bench.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
      const { body, ...rest } = await call;
      assert.deepEqual([body.answer, replayed({ body, ...rest }), bench.link.waits.length], ['Yes', true, 0]);
    });

    it('its wait that it did not tell anybody of is told and answered; one that it did not open is opened', async () => {
      bench.link.onWait = (wait) => void bench.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
      const name = await left('ask', coffee);
      const { number } = await leftWait(name);
      assert.equal((await act('ask', coffee)).body.answer, 'Yes');
      assert.equal(bench.link.waits[0]?.number, number);
      key = randomUUID();
      await left('ask', coffee);
      assert.equal((await act('ask', coffee)).body.answer, 'Yes');
      assert.equal(bench.link.waits.length, 2);
    });
  });
});
