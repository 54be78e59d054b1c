import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { question } from './open-wait.js';
import { useGateway, useOwner, type GatewayUnderTest, type Answer } from './gateway-under-test.js';

const tap = { outcome: 'answered', index: 0, x: 40, y: 180 } as const;
const pending = { ok: true, outcome: 'pending', timed_out: false, replaced: false, robot_away: false, answer: null, index: null };

describe('the queue of a robot, at two gateways', () => {
  const system = useGateway();
  const other = useGateway();
  const owner = useOwner(system);

  const read = (wait: string, seconds = 0): Promise<Answer> => other.ask('GET', `/v1/waits/${wait}?seconds=${seconds}`, { apiKey: owner.apiKey });
  const shown = (): number => system.link.commands.filter(({ robot, command }) => robot === owner.robot && command.name === 'screen.show').length;
  const waits = (): typeof system.link.waits => [...system.link.waits, ...other.link.waits];
  const entries = (): Promise<number> => system.store.connections.commands.zcard(`perch:{${owner.robot}}:queue`);
  const drawn = (text: string): boolean => [...system.drawn, ...other.drawn].some(({ scene }) => JSON.stringify(scene).includes(text));
  async function queued(action: 'show' | 'ask', args: object, from = system): Promise<Answer['body']> {
    const { status, body } = await from.act(owner, action, { queue: true, ...args });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  async function armed(): Promise<void> {
    const { number } = waits().at(-1)!;
    await until(async () => (await system.store.waits.read(owner.robot, number))?.armed !== null);
  }
  async function openQuestion(): Promise<{ answer: Promise<Answer>; record: (typeof system.link.waits)[number] }> {
    const answer = system.act(owner, 'ask', { question: 'First?', answers: ['Yes', 'No'], timeout_s: 100 });
    answer.catch(() => {});
    await until(() => waits().length === 1);
    await armed();
    return { answer, record: waits()[0]! };
  }

  it('cards show one after the other, by priority and then by arrival, each for its time', async () => {
    const { answer, record } = await openQuestion();
    const bodies = [
      await queued('show', { text: 'card-a', for_s: 1 }),
      await queued('show', { text: 'card-b', for_s: 1 }, other),
      await queued('show', { text: 'card-c', for_s: 1, priority: 7 }),
    ];
    assert.deepEqual(
      bodies,
      [1, 2, 1].map((place) => ({ ok: true, queued: true, place })),
    );
    assert.equal(shown(), 0, 'a question is open');
    await system.link.settle(owner.robot, record, tap);
    assert.equal((await answer).body.outcome, 'answered');
    for (const [i, text] of ['card-c', 'card-a', 'card-b'].entries()) {
      await until(() => shown() === i + 1, { what: text });
      assert.ok(drawn(text));
    }
    await until(async () => (await entries()) === 0);
  });

  it('a card that is cleared ends its turn at once, alone or in a scene', async () => {
    await queued('show', { text: 'card-a', for_s: 600 });
    await until(async () => shown() === 1 && (await entries()) === 0);
    await queued('show', { text: 'card-b', for_s: 600, expires_s: 600 });
    await queued('show', { text: 'card-c', for_s: 600, expires_s: 600 });
    assert.equal((await system.act(owner, 'show', { clear: true })).status, 200);
    await until(() => shown() === 2, { what: 'card-b' });
    await until(async () => (await entries()) === 1);
    assert.equal((await other.act(owner, 'scene', { actions: [{ action: 'show', clear: true }] })).status, 200);
    await until(() => shown() === 3, { what: 'card-c' });
  });

  it('a question of the queue keeps its call open until the tap, and shows after the one before it', async () => {
    const { answer: first, record } = await openQuestion();
    const second = system.act(owner, 'ask', { question: 'Second?', answers: ['Yes', 'No'], queue: true });
    await until(async () => (await entries()) === 1);
    await system.link.settle(owner.robot, record, tap);
    assert.equal((await first).body.outcome, 'answered');
    await until(() => waits().length === 2);
    await armed();
    await system.link.settle(owner.robot, waits().at(-1)!, { ...tap, index: 1 });
    const { body } = await second;
    assert.deepEqual(body, { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'No', index: 1 });
    assert.deepEqual((await system.store.events.read(owner.robot, {})).events, [], 'a call has the answer');
  });

  it('with detach, its wait has the place, then waits for the tap, and its end is one event', async () => {
    const { record } = await openQuestion();
    await queued('show', { text: 'card-a', for_s: 1 });
    const { wait, ...fields } = await queued('ask', { ...question, detach: true, timeout_s: 3600 });
    assert.deepEqual(fields, { ...pending, queued: true, place: 2 });
    const open = { ...pending, wait, robot: owner.robot, action: 'ask' };
    assert.deepEqual((await read(wait)).body, { ...open, queued: true, place: 2 });
    const answer = read(wait, 30);
    await system.link.settle(owner.robot, record, tap);
    await until(() => waits().length === 2);
    await armed();
    assert.deepEqual((await read(wait)).body, open);
    await until(async () => (await entries()) === 0);
    await system.link.settle(owner.robot, waits().at(-1)!, tap);
    assert.equal((await answer).body.answer, 'Yes');
    await until(async () => (await system.store.events.read(owner.robot, {})).events.length > 0);
    const { events } = await system.store.events.read(owner.robot, {});
    assert.deepEqual(
      events.map(({ name, data }) => [name, data?.['wait']]),
      [['answered', wait]],
    );
  });

  it('what expires in the queue is never shown: a card vanishes, a question has timed out', async () => {
    await openQuestion();
    await queued('show', { text: 'card-late', expires_s: 1 });
    const { body } = await system.act(owner, 'ask', { ...question, queue: true, expires_s: 1 });
    assert.deepEqual([body.outcome, body.timed_out, body.queued, body.answer], ['timed_out', true, true, null]);
    await until(async () => (await entries()) === 0);
    assert.deepEqual([shown(), drawn('card-late')], [0, false]);
  });

  it('a call without queue replaces what shows as ever, and a stop ends the queue', async () => {
    const { wait } = await queued('ask', { ...question, detach: true });
    await until(() => waits().length === 1);
    await until(async () => (await entries()) === 0);
    const newer = system.act(owner, 'ask', question);
    await until(() => waits().length === 2);
    assert.equal((await read(wait)).body.outcome, 'replaced');
    const behind = await queued('ask', { ...question, detach: true });
    await system.act(owner, 'show', { text: 'card-z' });
    assert.equal(shown(), 1, 'at once');
    await system.act(owner, 'stop');
    assert.equal((await newer).body.outcome, 'replaced');
    const { outcome, queued: unseen } = (await read(behind.wait)).body;
    assert.deepEqual([outcome, unseen], ['replaced', true]);
  });

  it('quiet hours hold back all but priority 9', async () => {
    const now = system.store.clock.now();
    const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString().slice(11, 16);
    await system.store.robots.change(owner.account, owner.robot, { timeZone: 'UTC', quietHours: { from: at(-60), to: at(60) } });
    await queued('show', { text: 'card-a', priority: 8 });
    await queued('show', { text: 'card-b', priority: 9, for_s: 1 });
    await until(() => shown() === 1);
    assert.deepEqual([drawn('card-a'), drawn('card-b')], [false, true]);
    // 5 s: only something else than the time can free the entry.
    await until(async () => laterMs(await system.store.queue.take(owner.robot, 9)) === 5000);
    await system.store.robots.change(owner.account, owner.robot, { quietHours: null });
    await until(() => shown() === 2);
  });

  it('a robot that is away gets its card when it is back', async () => {
    await system.link.release(owner.robot, 'away');
    await queued('show', { text: 'card-a' });
    assert.equal(await entries(), 1);
    await system.link.take(owner.robot, owner.token);
    await until(() => shown() === 1);
  });

  it('a card of a revoked key, and a question whose client went away or that was deleted, are not shown', async () => {
    const { record } = await openQuestion();
    const mine = await system.store.apiKeys.create({ account: owner.account });
    await system.act({ ...owner, apiKey: mine.apiKey }, 'show', { text: 'card-revoked', queue: true });
    await system.store.apiKeys.revoke(owner.account, mine.id);
    const gone = new AbortController();
    const asked = system.act(owner, 'ask', { question: 'Gone?', answers: ['Yes', 'No'], queue: true }, gone.signal).catch(() => {});
    await until(async () => (await entries()) === 2);
    gone.abort();
    await asked;
    await until(async () => (await system.store.queue.take(owner.robot, null)) !== 'empty' && (await entries()) === 1);
    const { wait } = await queued('ask', { question: 'Deleted?', answers: ['Yes', 'No'], detach: true });
    assert.equal((await other.ask('DELETE', `/v1/waits/${wait}`, { apiKey: owner.apiKey })).status, 200);
    assert.equal((await read(wait)).status, 404);
    await queued('show', { text: 'card-last' });
    await system.link.settle(owner.robot, record, tap);
    await until(() => shown() === 1 && drawn('card-last'));
    await until(async () => (await entries()) === 0);
    assert.deepEqual([waits().length, drawn('Gone?'), drawn('Deleted?')], [1, false, false]);
  });

  it('the 21st entry is refused with queue_full, and arguments that do not fit with 400', async () => {
    await openQuestion();
    for (let i = 0; i < 20; i++) await queued('show', { text: 'card-a' }, i % 2 === 0 ? system : other);
    const { status, body } = await (async () => {
      await until(async () => (await system.act(owner, 'show', { text: 'card-b', queue: true })).body.code !== 'rate_limited');
      return system.act(owner, 'show', { text: 'card-b', queue: true });
    })();
    assert.deepEqual([status, body.code], [429, 'queue_full']);
    const fresh = await system.ownerOnline();
    const refused: [string, object, string][] = [
      ['show', { text: 'a', priority: 3 }, 'priority'],
      ['show', { text: 'a', for_s: 3 }, 'for_s'],
      ['show', { clear: true, queue: true }, 'clear'],
      ['show', { text: 'A'.repeat(9000), queue: true }, 'queue'],
      ['ask', { ...question, queue: true, expires_s: 121 }, 'expires_s'],
      ['ask', { ...question, queue: true, priority: 10 }, 'priority'],
      ['scene', { actions: [{ action: 'show', text: 'a', queue: true }] }, 'actions[0].queue'],
    ];
    for (const [action, args, field] of refused) {
      const refusal = await system.act(fresh, action, args);
      assert.deepEqual([refusal.status, refusal.body.field], [400, field], JSON.stringify(refusal.body));
    }
  });

  it('an equal call under the same Idempotency-Key enters the queue once', async () => {
    await openQuestion();
    const send = (from: GatewayUnderTest): Promise<Answer> =>
      from.ask('POST', `/v1/robots/${owner.robot}/show`, {
        apiKey: owner.apiKey,
        body: { text: 'card-a', queue: true },
        headers: { 'idempotency-key': 'once' },
      });
    const answers = [await send(system), await send(other)];
    assert.deepEqual(
      answers.map(({ body }) => body),
      Array.from({ length: 2 }, () => ({ ok: true, queued: true, place: 1 })),
    );
    assert.equal(await entries(), 1);
  });
});

function laterMs(turn: Awaited<ReturnType<GatewayUnderTest['store']['queue']['take']>>): number | null {
  return turn !== 'empty' && 'laterMs' in turn ? turn.laterMs : null;
}
