import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { pngBase64, tokensSince, useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { commandAnswers, hello } from './test-link.js';

const happy = { action: 'face', emotion: 'happy' };
const hi = { action: 'say', text: 'Hi' };

describe('scene', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const scene = (actions: unknown, signal?: AbortSignal): Promise<Answer> => system.act(owner, 'scene', { actions }, signal);
  const sentCommands = (): string[] => system.link.commands.map(({ command }) => command.name);
  const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)?.[1]);

  it('performs its actions in order, each after the one before was confirmed, and answers what each answers alone', async () => {
    const inFlight: number[] = [];
    let open = 0;
    system.link.answer = async (message) => {
      inFlight.push(++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      return commandAnswers(message);
    };
    const { status, body } = await scene([
      { action: 'show', text: `A card of ${owner.robot}` },
      happy,
      { action: 'move', yaw: 20, pitch: 900 },
      { action: 'sound', chime: 'done' },
      { action: 'leds', color: 'red' },
      { action: 'command', command: 'brightness', args: { pct: 5 } },
    ]);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(Object.keys(body), ['ok', 'results']);
    assert.deepEqual(body.results[2], { ok: true, yaw: 20, pitch: 85 });
    assert.ok(body.results[3].seconds > 0);
    assert.ok(body.results.every((result: { ok: boolean }) => result.ok));
    assert.deepEqual(sentCommands(), ['screen.show', 'face', 'head.move', 'audio.play', 'leds.set', 'robot']);
    assert.deepEqual(inFlight, [1, 1, 1, 1, 1, 1]);
  });

  it('holds the call until the tap when the last action is a question', async () => {
    system.link.onWait = (record, robot) => void system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body } = await scene([happy, { action: 'ask', question: 'Coffee?', answers: ['Yes', 'No'] }]);
    assert.deepEqual(body.results[1], {
      ok: true,
      outcome: 'answered',
      timed_out: false,
      replaced: false,
      robot_away: false,
      answer: 'Yes',
      index: 0,
    });
  });

  const wrong: [what: string, actions: unknown, status: number, code: string, field: string][] = [
    ['actions that are not a list', 'face', 400, 'bad_argument', 'actions'],
    ['no action', [], 400, 'bad_argument', 'actions'],
    ['eleven actions', Array.from({ length: 11 }, () => happy), 400, 'bad_argument', 'actions'],
    ['an action that is not an object', [happy, 'face'], 400, 'bad_argument', 'actions[1]'],
    ['an action without a name', [happy, { emotion: 'sad' }], 400, 'bad_argument', 'actions[1].action'],
    ['an unknown action', [happy, { action: 'dance' }], 400, 'bad_argument', 'actions[1].action'],
    ['a read action', [happy, { action: 'state' }], 400, 'bad_argument', 'actions[1].action'],
    ['too long a text', [happy, happy, { action: 'say', text: 'x'.repeat(81) }], 400, 'bad_argument', 'actions[2].text'],
    ['a missing argument', [happy, { action: 'say' }], 400, 'bad_argument', 'actions[1].text'],
    ['an unknown argument', [happy, { ...hi, loud: true }], 400, 'bad_argument', 'actions[1].loud'],
    ['arguments that contradict each other', [happy, { action: 'move', gesture: 'nod', yaw: 3 }], 400, 'bad_argument', 'actions[1].gesture'],
    ['an action with nothing to do', [happy, { action: 'leds' }], 400, 'bad_argument', 'actions[1]'],
    ['an invalid note', [happy, { action: 'sound', notes: 'H4:100' }], 400, 'bad_argument', 'actions[1].notes'],
    ['a question before the end', [{ action: 'ask', question: 'Q', answers: ['a', 'b'] }, happy], 400, 'bad_argument', 'actions[0].action'],
    ['an invalid picture', [happy, { action: 'show', image: 'AAAA' }], 400, 'bad_picture', 'actions[1].image'],
    ['an unknown upload', [happy, { action: 'show', image: `p-${'0'.repeat(20)}` }], 400, 'bad_picture', 'actions[1].image'],
    ['a private address', [happy, { action: 'show', image: 'https://10.0.0.1/a.png' }], 400, 'image_unreachable', 'actions[1].image'],
    ['an invalid picture in a menu', [happy, { action: 'menu', items: ['a', { image: 'AAAA' }] }], 400, 'bad_picture', 'actions[1].items[1].image'],
    ['a command that is never passed on', [happy, { action: 'command', command: 'restart' }], 400, 'command_not_passed_on', 'actions[1].command'],
    ['a command that was not declared', [happy, { action: 'command', command: 'fly' }], 501, 'not_offered', 'actions[1].command'],
    [
      "arguments that do not fit the robot's schema",
      [happy, { action: 'command', command: 'brightness', args: { pct: 900 } }],
      400,
      'bad_argument',
      'actions[1].args.pct',
    ],
  ];
  for (const [what, actions, status, code, field] of wrong) {
    it(`rejects a scene with ${what} before its first action`, async () => {
      const answer = await scene(actions);
      assert.deepEqual([answer.status, answer.body.code, answer.body.field], [status, code, field], JSON.stringify(answer.body));
      if (field !== 'actions') assert.ok(answer.body.error.startsWith(`${field}: `), answer.body.error);
      assert.deepEqual([sentCommands(), answer.body.results], [[], undefined]);
    });
  }

  it('rejects a scene that needs a feature the robot lacks, and before that, one for a robot that is away', async () => {
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['face'] });
    const missing = await scene([happy, hi]);
    assert.deepEqual([missing.status, missing.body.code, missing.body.field], [501, 'not_offered', 'actions[1]']);
    await system.link.release(owner.robot, 'away');
    const away = await scene([happy, { action: 'show', image: 'AAAA' }]);
    assert.deepEqual([away.status, away.body.code, sentCommands()], [503, 'robot_offline', []]);
  });

  it('stops at an action that fails, and answers its error with the results before it', async () => {
    system.link.answer = (message) =>
      message.command.name === 'bubble'
        ? { t: 'nack', id: message.id, code: 'card_showing', error: 'The robot refused: a card covers the face' }
        : commandAnswers(message);
    const { status, body } = await scene([happy, { action: 'move', yaw: 5 }, hi, happy]);
    assert.deepEqual([status, body.ok, body.code, body.field], [400, false, 'card_showing', 'actions[2]']);
    assert.deepEqual(body.results, [{ ok: true }, { ok: true, yaw: 5, pitch: 45 }]);
    assert.deepEqual(sentCommands(), ['face', 'head.move', 'bubble']);
  });

  it('names the action and the field of a picture that the renderer rejects', async () => {
    const broken = Buffer.concat([Buffer.from(pngBase64, 'base64'), Buffer.from('broken')]).toString('base64');
    const { status, body } = await scene([happy, { action: 'show', image: broken }]);
    assert.deepEqual([status, body.code, body.field, body.results], [400, 'bad_picture', 'actions[1].image', [{ ok: true }]]);
  });

  it('charges one per action, all or none, and one for a rejected scene', async () => {
    const eight = Array.from({ length: 8 }, () => happy);
    const started = performance.now();
    const rejected = await scene([{ action: 'dance' }]);
    assert.equal(left(rejected), 29);
    const scenes = await Promise.all(Array.from({ length: 12 }, () => scene(eight)));
    const refused = scenes.filter(({ status }) => status !== 200);
    const performed = scenes.length - refused.length;
    const most = 29 + tokensSince(started);
    assert.ok(performed >= 3 && performed * 8 <= most, `${performed} performed`);
    assert.equal(sentCommands().length, performed * 8);
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code], [429, 'rate_limited']);
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    for (const answer of refused)
      assert.ok(left(answer) >= 29 - performed * 8 && left(answer) < 8, `${left(answer)} left: a refused scene takes nothing`);
  });

  it('stops between two actions when its key is revoked', async () => {
    system.link.answer = async (message) => {
      await system.store.apiKeys.revoke(owner.account, owner.keyId);
      await new Promise((resolve) => setTimeout(resolve, 900));
      return commandAnswers(message);
    };
    const { status, body } = await scene([happy, hi]);
    assert.deepEqual([status, body.code, body.results, sentCommands()], [401, 'unauthorized', [{ ok: true }], ['face']]);
  });

  it('stops when its client disconnects', async () => {
    const hangUp = new AbortController();
    let answerNow = (): void => {};
    system.link.answer = (message) => new Promise((resolve) => (answerNow = () => resolve(commandAnswers(message))));
    const answer = scene([happy, hi], hangUp.signal);
    await until(() => sentCommands().length === 1);
    hangUp.abort();
    await assert.rejects(answer);
    const ended = async (): Promise<boolean> =>
      /perch_gateway_requests_total\{action="scene",code="client_closed"\} 1/.test(await system.metrics.metrics());
    await until(ended);
    answerNow();
    await until(async () => /perch_gateway_awaited_replies 0/.test(await system.metrics.metrics()));
    await system.act(owner, 'state');
    assert.deepEqual(sentCommands(), ['face']);
  });
});
