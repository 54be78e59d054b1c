import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { postMessage } from './mcp-requests.js';
import { question } from '../open-wait.js';

const pendingAfterMs = 600;

describe('questions of tools that outlive their calls', () => {
  const system = useGateway({ pendingAfterMs });
  const owner = useOwner(system);

  /** @returns the result, and the progress notifications before it */
  async function call(name: string, args: object, progressToken?: string): Promise<{ answer: any; isError: boolean; progress: any[] }> {
    const response = await postMessage(system, owner, {
      id: 1,
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
    await until(async () => (await system.store.waits.read(owner.robot, system.link.waits.at(-1)?.number ?? 0))?.armed, { what: 'the question' });
    await system.link.settle(owner.robot, system.link.waits.at(-1)!, { outcome: 'answered', index: 0, x: 1, y: 1 });
  }

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

  for (const [what, args, token] of [
    ['its time-out is shorter', { timeout_s: 0.9 * (pendingAfterMs / 1000) }, undefined],
    ['it was sent with detach: false', { timeout_s: 2, detach: false }, undefined],
    ['the client receives progress', { timeout_s: 2 }, 'p'],
  ] as const)
    it(`a call stays open until its end if ${what}`, async () => {
      const { answer, progress } = await call('robot_ask', { ...question, ...args }, token);
      assert.equal(answer.outcome, 'timed_out');
      assert.equal(answer.wait, undefined);
      if (token !== undefined) assert.deepEqual([progress[0].progress, progress[0].total], [0, 2]);
      const { events } = await system.store.events.read(owner.robot, {});
      assert.deepEqual(
        events.filter(({ name }) => name === 'answered'),
        [],
      );
    });

  it('a tap before that answers the call', async () => {
    const asked = call('robot_menu', { items: ['Soup', 'Pizza'], timeout_s: 20 });
    await tap();
    assert.equal((await asked).answer.item, 'Soup');
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
      [{}, 'wait'],
      [{ wait: 1 }, 'wait'],
      [{ wait: 'x', seconds: 61 }, 'seconds'],
      [{ wait: 'x', after: 1 }, 'after'],
    ] as const) {
      const { isError, answer } = await call('robot_answer', args);
      assert.deepEqual([isError, answer.code, answer.field], [true, 'bad_argument', field]);
    }
  });
});
