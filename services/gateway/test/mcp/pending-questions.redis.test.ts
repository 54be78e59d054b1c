import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { type GatewayUnderTest, type Owner, useGateway, useOwner } from '../gateway-under-test.js';
import { postMessage } from './mcp-requests.js';
import { question } from '../open-wait.js';

const pendingAfterMs = 600;
/** Ids of calls. */
let calls = 0;

/** Returns calls of tools, and what waits for the newest question and taps it. */
function callsOf(system: GatewayUnderTest, owner: Owner) {
  /** @returns the result, and the progress notifications before it */
  async function call(name: string, args: object, progressToken?: string, id = ++calls): Promise<{ answer: any; isError: boolean; progress: any[] }> {
    const response = await postMessage(system, owner, {
      id,
      method: 'tools/call',
      params: { name, arguments: args, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
    });
    const text = await response.text();
    const messages = text.startsWith('{')
      ? [JSON.parse(text)]
      : text
          .split('\n')
          .filter((line) => line.startsWith('data: '))
          .map((line) => JSON.parse(line.slice('data: '.length)));
    const { result } = messages.at(-1);
    return {
      answer: JSON.parse(result.content[0].text),
      isError: result.isError === true,
      progress: messages.slice(0, -1).map(({ params }) => params),
    };
  }

  async function tap(): Promise<void> {
    await shown();
    await system.link.settle(owner.robot, system.link.waits.at(-1)!, { outcome: 'answered', index: 0, x: 1, y: 1 });
  }

  async function shown(): Promise<void> {
    await until(async () => (await system.store.waits.read(owner.robot, system.link.waits.at(-1)?.number ?? 0))?.armed, { what: 'the question' });
  }

  return { call, tap, shown };
}

describe('questions of tools that outlive their calls', () => {
  const system = useGateway({ pendingAfterMs });
  const owner = useOwner(system);
  const { call, tap } = callsOf(system, owner);

  it('a question with a long time-out is answered pending after a while, waits on, and robot_answer reads the tap', async () => {
    const { answer, isError } = await call('robot_ask', { ...question, timeout_s: 20 });
    assert.deepEqual([isError, answer.ok, answer.outcome, answer.answer], [false, true, 'pending', null]);
    assert.equal((await call('robot_answer', { wait: answer.wait, seconds: 0 })).answer.outcome, 'pending');
    const waiting = call('robot_answer', { wait: answer.wait, seconds: 20 }, 'p');
    await tap();
    const read = await waiting;
    assert.deepEqual([read.answer.outcome, read.answer.answer, read.answer.index], ['answered', 'Yes', 0]);
    assert.equal(read.progress[0].total, 20);
  });

  const waitOf = ({ message }: { message: string }): string | undefined => /wait (wt-\S+)\.$/.exec(message)?.[1];

  it('progress is no promise to wait: its first message names the wait, and the call is answered pending after the same while', async () => {
    const { answer, progress } = await call('robot_ask', { ...question, timeout_s: 20 }, 'p');
    assert.equal(answer.outcome, 'pending');
    assert.deepEqual([progress[0].progress, progress[0].total, waitOf(progress[0])], [0, 20, answer.wait]);
    await tap();
    assert.equal((await call('robot_answer', {})).answer.answer, 'Yes');
  });

  for (const [name, args] of [
    ['robot_menu', { items: ['Yes', 'No'] }],
    ['robot_clickmap', { regions: [{ id: 'a', rect: [0, 0, 320, 240] }] }],
  ] as const)
    it(`${name} is answered pending after the same while, with and without progress`, async () => {
      for (const token of ['p', undefined]) assert.equal((await call(name, { ...args, timeout_s: 20 }, token)).answer.outcome, 'pending');
      await tap();
      assert.equal((await call('robot_answer', {})).answer.outcome, 'answered');
    });

  it('a scene and a group that end in a question are answered pending after the same while, counted from their arrival', async () => {
    const scene = await call(
      'robot_scene',
      {
        actions: [
          { action: 'face', emotion: 'happy' },
          { action: 'ask', at_ms: pendingAfterMs / 2, ...question, timeout_s: 20 },
        ],
      },
      'p',
    );
    const last = scene.answer.results.at(-1);
    assert.deepEqual([scene.answer.ok, last.outcome, waitOf(scene.progress[0])], [true, 'pending', last.wait]);
    await system.store.robotLabels.change(owner.account, owner.robot, { set: { room: 'r7' } });
    const group = await call('robot_group', { label: 'room=r7', action: 'ask', args: { ...question, timeout_s: 20 } }, 'p');
    assert.equal(group.answer.robots[0].outcome, 'pending');
    await tap();
    assert.equal((await call('robot_answer', { wait: group.answer.robots[0].wait })).answer.answer, 'Yes');
    assert.equal((await call('robot_answer', { wait: last.wait })).answer.outcome, 'replaced');
  });

  it('robot_answer without a wait says so if this key has asked nothing', async () => {
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
    const response = await postMessage(
      system,
      { ...owner, apiKey },
      { id: 1, method: 'tools/call', params: { name: 'robot_answer', arguments: {} } },
    );
    assert.match(await response.text(), /this key has asked no question whose answer is kept/);
  });

  for (const [what, args] of [
    ['its time-out is shorter', { timeout_s: 0.9 * (pendingAfterMs / 1000) }],
    ['it was sent with detach: false', { timeout_s: 2, detach: false }],
  ] as const)
    it(`a call stays open until its end if ${what}`, async () => {
      const { answer, progress } = await call('robot_ask', { ...question, ...args }, 'p');
      assert.equal(answer.outcome, 'timed_out');
      assert.equal(answer.wait, undefined);
      assert.deepEqual([progress[0]?.progress, progress[0]?.total], [0, Math.ceil(args.timeout_s)]);
      const { events } = await system.store.events.read(owner.robot, {});
      assert.deepEqual(
        events.filter(({ name }) => name === 'answered'),
        [],
      );
    });

  it('detach answers at once', async () => {
    const { answer } = await call('robot_clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], detach: true, timeout_s: 3600 });
    assert.equal(answer.outcome, 'pending');
    await tap();
    assert.equal((await call('robot_answer', { wait: answer.wait })).answer.region, 'all');
  });

  it('robot_answer rejects an unknown wait and wrong arguments, and says what to do', async () => {
    const unknown = await call('robot_answer', { wait: 'wt-0000000000-mb1x2k9q' });
    assert.deepEqual([unknown.isError, unknown.answer.code, typeof unknown.answer.next], [true, 'not_found', 'string']);
    for (const [args, field] of [
      [{ wait: 1 }, 'wait'],
      [{ wait: 'x', seconds: 61 }, 'seconds'],
      [{ wait: 'x', after: 1 }, 'after'],
    ] as const) {
      const { isError, answer } = await call('robot_answer', args);
      assert.deepEqual([isError, answer.code, answer.field], [true, 'bad_argument', field]);
    }
  });
});

describe('questions of tools that are answered or cancelled during their calls', () => {
  const system = useGateway();
  const owner = useOwner(system);
  const { call, tap, shown } = callsOf(system, owner);

  it('a question is read while its call is open, without its wait, which the one after replaces as the newest', async () => {
    const { wait } = (await call('robot_ask', { ...question, timeout_s: 20, detach: true })).answer;
    assert.equal((await call('robot_answer', { seconds: 0 })).answer.wait, wait);
    const before = system.link.waits.length;
    const open = call('robot_ask', { ...question, timeout_s: 20 });
    await until(() => system.link.waits.length > before);
    await shown();
    const newest = (await call('robot_answer', { seconds: 0 })).answer;
    assert.deepEqual([newest.outcome, newest.wait === wait], ['pending', false]);
    await tap();
    assert.equal((await open).answer.answer, 'Yes');
    assert.equal((await call('robot_answer', {})).answer.answer, 'Yes');
    const { events } = await system.store.events.read(owner.robot, {});
    assert.deepEqual(
      events.filter(({ name, data }) => name === 'answered' && (data as { wait: string }).wait === newest.wait),
      [],
      'an answer that its call got is no event',
    );
  });

  it('a tap before the call is answered pending answers the call', async () => {
    const asked = call('robot_menu', { items: ['Soup', 'Pizza'], timeout_s: 20 });
    await tap();
    assert.equal((await asked).answer.item, 'Soup');
  });

  const cancel = (requestId: number, reason?: string) =>
    postMessage(system, owner, { method: 'notifications/cancelled', params: { requestId, ...(reason === undefined ? {} : { reason }) } });

  for (const reason of [
    'McpError: MCP error -32001: Request timed out',
    'SdkError: Request timed out',
    'McpError: MCP error -32001: Maximum total timeout exceeded',
    'timed out after 10.0s',
    'context deadline exceeded',
    'request timeout',
    'Request timed out',
  ])
    it(`a call that a time limit of its client ended (${reason}) leaves its question, which is answered and read`, async () => {
      const id = ++calls;
      const ended = call('robot_ask', { ...question, timeout_s: 30 }, 'p', id);
      await shown();
      await cancel(id, reason);
      const { answer } = await ended;
      assert.equal(answer.outcome, 'pending');
      await tap();
      assert.equal((await call('robot_answer', { wait: answer.wait, seconds: 5 })).answer.answer, 'Yes');
    });

  for (const reason of [
    undefined,
    'AbortError: This operation was aborted',
    'caller cancelled',
    'context canceled',
    'The user said: request timed out, sorry!',
  ])
    it(`a call that a person or a program cancelled (${reason ?? 'no reason'}) takes its question away`, async () => {
      const id = ++calls;
      const ended = call('robot_ask', { ...question, timeout_s: 30 }, 'p', id).catch(() => null);
      await shown();
      const { number } = system.link.waits.at(-1)!;
      await cancel(id, reason);
      await until(async () => (await system.store.waits.read(owner.robot, number))?.outcome?.outcome === 'cancelled');
      await ended;
    });
});
