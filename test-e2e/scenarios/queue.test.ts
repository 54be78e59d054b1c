import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { Api, type Answer } from '../fixture/clients/api.js';
import { left, questionShown, right, waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

/** Equal for equal pictures. */
const pictureOf = (id: string): string => id.slice(0, -12);

onSharedSystems('two programs that share the queue of a robot', (system) => {
  interface Shared {
    id: string;
    robot: VirtualRobot;
    /** Each with a key and a gateway of its own, where there are two. */
    programs: readonly [Api, Api];
    /** The texts of the cards that the robot has shown, in order; of those alone that were shown once before. */
    texts(): string[];
  }

  /** @param texts of cards that the test tells apart */
  async function shared(...texts: string[]): Promise<Shared> {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const own = tenant.api();
    const byPicture = new Map<string, string>();
    for (const text of texts) {
      assert.equal((await own.act(id, 'show', { text })).status, 200);
      byPicture.set(pictureOf(robot.screen.card!.id), text);
    }
    assert.equal((await own.act(id, 'show', { clear: true })).status, 200);
    const before = robot.commands.length;
    const other = new Api(system().gateway(1), (await system().newKey(tenant.account)).key);
    const shown = (): string[] =>
      robot.commands.slice(before).flatMap(({ name, args, ack }) => {
        const text = byPicture.get(pictureOf(String(args['id'])));
        return name === 'screen.show' && ack !== null && text !== undefined ? [text] : [];
      });
    return { id, robot, programs: [own, other], texts: shown };
  }

  async function queued(program: Api, id: string, action: 'show' | 'ask', args: object): Promise<Answer['body']> {
    const { status, body } = await program.act(id, action, { queue: true, ...args });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async function answerFirst({ id, robot, programs: [one] }: Shared): Promise<() => Promise<string>> {
    const call = one.act(id, 'ask', { question: 'First?', answers: ['Yes', 'No'] });
    const question = await questionShown(robot);
    await waitArmed(system(), id, robot);
    return async () => {
      await robot.tap(...left);
      assert.equal((await call).body.outcome, 'answered');
      return question;
    };
  }

  it('cards wait for the question that is open, and show by priority and then by arrival, each answered with its place', async () => {
    const at = await shared('first', 'second', 'urgent');
    const [one, two] = at.programs;
    const answer = await answerFirst(at);
    const places = [
      await queued(one, at.id, 'show', { text: 'first', for_s: 1 }),
      await queued(two, at.id, 'show', { text: 'second', for_s: 1 }),
      await queued(two, at.id, 'show', { text: 'urgent', for_s: 1, priority: 5 }),
    ].map(({ place }) => place);
    assert.deepEqual(places, [1, 2, 1]);
    assert.deepEqual(at.texts(), []);
    await answer();
    await until(() => at.texts().length === 3, { what: 'three cards' });
    assert.deepEqual(at.texts(), ['urgent', 'first', 'second']);
    assert.deepEqual(at.robot.violations, []);
  });

  it('questions of two programs show one after the other, and each call has its own answer', async () => {
    const at = await shared();
    const [one, two] = at.programs;
    const answers = ['Left', 'Right'];
    const ask = (program: Api, question: string): Promise<Answer> => program.act(at.id, 'ask', { question, answers, queue: true });
    const calls = [ask(one, 'One?')];
    const first = await questionShown(at.robot);
    calls.push(ask(two, 'Two?'));
    await until(async () => (await system().store.queue.list(at.id)).length === 1, { what: 'the second question in the queue' });
    await waitArmed(system(), at.id, at.robot);
    await at.robot.tap(...left);
    await questionShown(at.robot, first);
    await waitArmed(system(), at.id, at.robot);
    await at.robot.tap(...right, { lookMs: 1000 });
    const ended = await Promise.all(calls);
    assert.deepEqual(
      ended.map(({ body: { outcome, replaced, answer } }) => [outcome, replaced, answer]),
      [
        ['answered', false, 'Left'],
        ['answered', false, 'Right'],
      ],
    );
  });

  it('what expires before its turn is never shown: the card is dropped, and the question has timed out unseen', async () => {
    const at = await shared('late', 'last');
    const [one, two] = at.programs;
    const answer = await answerFirst(at);
    await queued(one, at.id, 'show', { text: 'late', expires_s: 1 });
    const { outcome, queued: unseen } = await queued(two, at.id, 'ask', { question: 'Late?', answers: ['Yes', 'No'], expires_s: 1 });
    assert.deepEqual([outcome, unseen], ['timed_out', true]);
    await until(async () => (await system().store.queue.list(at.id)).length === 0, { what: 'an empty queue' });
    await queued(one, at.id, 'show', { text: 'last' });
    const question = await answer();
    await until(() => at.texts().includes('last'), { what: 'the last card' });
    assert.deepEqual(at.texts(), ['last']);
    const questions = at.robot.commands.filter(({ name, args }) => name === 'screen.show' && args['layer'] === 'question');
    assert.deepEqual([...new Set(questions.map(({ args }) => args['id']))], [question]);
  });

  it('quiet hours hold back all but priority 9, until they end', async () => {
    const at = await shared('patient', 'alarm');
    const [one, two] = at.programs;
    const { account } = (await system().store.robots.get(at.id))!;
    const minute = (minutes: number): string => new Date(system().store.clock.now() + minutes * 60_000).toISOString().slice(11, 16);
    await system().store.robots.change(account, at.id, { timeZone: 'UTC', quietHours: { from: minute(-60), to: minute(60) } });
    await queued(one, at.id, 'show', { text: 'patient', priority: 8, expires_s: 600 });
    await queued(two, at.id, 'show', { text: 'alarm', priority: 9, for_s: 1 });
    const waiting = async (): Promise<number> => (await system().store.queue.list(at.id)).length;
    await until(async () => at.texts().length === 1 && (await waiting()) === 1, { what: 'the card of priority 9' });
    assert.deepEqual(at.texts(), ['alarm']);
    assert.equal((await queued(two, at.id, 'show', { text: 'patient', priority: 8 })).place, 2);
    await system().store.robots.change(account, at.id, { quietHours: null });
    await until(() => at.texts().length === 2, { what: 'the card that was held back' });
    assert.deepEqual(at.texts(), ['alarm', 'patient']);
  });

  it('a card that is cleared makes way for the next one at once', async () => {
    const at = await shared('long', 'next');
    const [one, two] = at.programs;
    await queued(one, at.id, 'show', { text: 'long', for_s: 600 });
    await queued(two, at.id, 'show', { text: 'next', expires_s: 600 });
    await until(async () => (await system().store.queue.list(at.id)).length === 1 && at.texts().length === 1, { what: 'the first card' });
    assert.equal((await two.act(at.id, 'show', { clear: true })).status, 200);
    await until(() => at.texts().length === 2, { what: 'the next card' });
    assert.deepEqual(at.texts(), ['long', 'next']);
  });
});
