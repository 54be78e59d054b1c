import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fingerprint } from '../src/idempotency/idempotent-calls.js';
import { replayed, useKeyedCalls } from './keyed-calls.js';
import { GatewayUnderTest, pngBase64, type Answer } from './gateway-under-test.js';
import { commandAnswers } from './test-link.js';

const together = [
  { action: 'move', gesture: 'nod', at_ms: 0 },
  { action: 'leds', color: 'green', at_ms: 0 },
  { action: 'face', emotion: 'happy', at_ms: 0 },
  { action: 'sound', chime: 'yes', at_ms: 0 },
];

describe('a scene with times', () => {
  const calls = useKeyedCalls();
  const { system } = calls;
  beforeEach(() => {
    sent.length = 0;
    system.link.answer = (message) => {
      sent.push([message.command.name, performance.now()]);
      return commandAnswers(message);
    };
  });

  const sent: [name: string, at: number][] = [];
  const scene = (actions: unknown): Promise<Answer> => system.act(calls.owner, 'scene', { actions });
  const names = (): string[] => sent.map(([name]) => name);

  it('starts actions with the same time together, without waiting for their acks, and answers in the order of the actions', async () => {
    let release = (): void => undefined;
    const all = new Promise<void>((resolve) => (release = resolve));
    // No command is acknowledged before all have been sent.
    system.link.answer = async (message) => {
      sent.push([message.command.name, performance.now()]);
      if (sent.length === 4) release();
      await all;
      return commandAnswers(message);
    };
    const { status, body } = await scene(together);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(names().toSorted(), ['audio.play', 'face', 'head.gesture', 'leds.set']);
    assert.equal(body.results.length, 4);
    assert.ok(body.results[3].seconds > 0 && body.results[0].seconds === undefined);
  });

  it('makes all pictures and sounds before the first action, and starts each at its time', async () => {
    // Either system's renderer takes a job.
    const count = (): number[] => [system.drawn.length + calls.other.drawn.length, system.played.length + calls.other.played.length];
    const before = count();
    let made: number[] = [];
    system.link.answer = (message) => {
      if (sent.length === 0) made = count().map((number, i) => number - before[i]!);
      sent.push([message.command.name, performance.now()]);
      return commandAnswers(message);
    };
    const perform = async (tried: number): Promise<number[]> => {
      sent.length = 0;
      const { status } = await scene([
        { action: 'face', emotion: 'sad', at_ms: 0 },
        { action: 'show', text: `Card ${calls.key} ${tried}`, at_ms: 200 },
        { action: 'sound', notes: `C4:${170 + tried} D4:20`, at_ms: 500 },
        { action: 'leds', color: 'red' },
      ]);
      assert.equal(status, 200);
      assert.deepEqual(names(), ['face', 'screen.show', 'audio.play', 'leds.set']);
      return sent.map(([, at]) => at - sent[0]![1]);
    };
    let times = await perform(0);
    assert.deepEqual(made, [1, 1]);
    // A time counted from the action before would be 200 ms late. The least late of up to ten: a busy machine may stop a process meanwhile.
    for (let tried = 1; tried < 10 && (times[1]! >= 350 || times[2]! >= 650); tried += 1) times = await perform(tried);
    // The first command may arrive later than it was sent.
    assert.ok(times[1]! > 100 && times[1]! < 350 && times[2]! > 400 && times[2]! < 650, JSON.stringify(times));
  });

  it('sends nothing if a picture cannot be made', async () => {
    const broken = Buffer.concat([Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64'), Buffer.from('broken')]).toString('base64');
    const { status, body } = await scene([
      { action: 'face', emotion: 'sad', at_ms: 0 },
      { action: 'show', image: broken, at_ms: 10 },
    ]);
    assert.deepEqual([status, body.field, sent.length], [400, 'actions[1].image', 0], JSON.stringify(body));
  });

  it('starts nothing after a failure, and answers the results before it', async () => {
    system.link.answer = (message) => {
      sent.push([message.command.name, performance.now()]);
      return message.command.name === 'leds.set' ? { t: 'nack', id: message.id, code: 'robot_hardware', error: 'broken' } : commandAnswers(message);
    };
    const { status, body } = await scene([...together, { action: 'say', text: 'Hi', at_ms: 200 }]);
    assert.deepEqual([status, body.code, body.field, body.results], [503, 'robot_hardware', 'actions[1]', [{ ok: true, yaw: null, pitch: null }]]);
    assert.ok(!names().includes('bubble'));
  });

  for (const [what, actions, field] of [
    ['a time before that of an earlier action', [together[0], { ...together[1], at_ms: 5 }, { ...together[2], at_ms: 4 }], 'actions[2].at_ms'],
    ['a negative time', [{ ...together[0], at_ms: -1 }], 'actions[0].at_ms'],
    ['a time after 30 s', [{ ...together[0], at_ms: 30_001 }], 'actions[0].at_ms'],
    [
      'a question that would be open longer than one alone',
      [
        { ...together[0], at_ms: 20_000 },
        { action: 'ask', question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 101 },
      ],
      'actions[1].timeout_s',
    ],
    ['half a millisecond', [{ ...together[0], at_ms: 0.5 }], 'actions[0].at_ms'],
    ['a time that is a text', [{ ...together[0], at_ms: '5' }], 'actions[0].at_ms'],
  ] as const) {
    it(`refuses ${what}, and sends nothing`, async () => {
      const { status, body } = await scene(actions);
      assert.deepEqual([status, body.code, body.field, sent.length], [400, 'bad_argument', field, 0]);
    });
  }

  it('answers a failure at once, although a later action has not started', async () => {
    system.link.answer = (message) => ({ t: 'nack', id: message.id, code: 'robot_hardware', error: 'broken' });
    const began = performance.now();
    const { status, body } = await scene([together[0], { ...together[1], at_ms: 30_000 }]);
    assert.deepEqual([status, body.field], [503, 'actions[0]']);
    assert.ok(performance.now() - began < 25_000);
  });

  it('fetches a picture from its address once, before the first action', async () => {
    let fetches = 0;
    const server = createServer((_, response) => {
      fetches += 1;
      response.end(Buffer.from(pngBase64, 'base64'));
    });
    const fetching = await GatewayUnderTest.start({ imageAddresses: 'any' });
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const image = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cat.png`;
      const owner = await fetching.ownerOnline();
      const fetchesAtStart: number[] = [];
      fetching.link.answer = (message) => {
        fetchesAtStart.push(fetches);
        return commandAnswers(message);
      };
      const show = { action: 'show', image };
      const { status, body } = await fetching.act(owner, 'scene', {
        actions: [{ action: 'face', emotion: 'sad', at_ms: 0 }, { ...show, at_ms: 10 }, show],
      });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([fetchesAtStart, fetches], [[2, 2, 2], 2]);
    } finally {
      server.closeAllConnections();
      server.close();
      await fetching.stop();
    }
  });

  it("a gateway that takes over a timed scene answers with the robot's acks, in whatever order they came", async () => {
    const body = { actions: together };
    const name = await calls.callName();
    await system.store.calls.begin(calls.owner.robot, name, { fingerprint: fingerprint('scene', body), claim: 'dead', gateway: 'gw-dead' });
    const keep = (at: number, result: object) =>
      system.store.calls.keepReply(calls.owner.robot, { call: name, at }, { t: 'ack', id: 'x', result: { ...result } });
    for (const index of [3, 1, 2, 0]) await keep((index + 1) * 100, {});
    const answer = await calls.act('scene', body);
    assert.deepEqual([answer.status, replayed(answer), sent.length], [200, true, 0], JSON.stringify(answer.body));
    assert.equal(answer.body.results.length, 4);
    assert.ok(answer.body.results[3].seconds > 0);
  });

  it('a timed scene with an Idempotency-Key is performed once, and a second call with the key gets the same answer', async () => {
    const body = { actions: together };
    const [first, second] = await Promise.all([calls.act('scene', body), calls.act('scene', body)]);
    assert.deepEqual(first.body, second.body);
    assert.equal(sent.length, 4);
  });
});
