import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { openWait, question } from './open-wait.js';
import { pngBase64, useGateway, useOwner } from './gateway-under-test.js';
import { hello } from './test-link.js';

describe('pictures that are drawn while a question takes its number', () => {
  const system = useGateway();
  const owner = useOwner(system);

  beforeEach(async () => {
    // From now on, the gateway knows the robot.
    const { answer, record } = await openWait(system, owner, 'ask', question);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).status, 200);
    system.drawn.length = 0;
  });

  /** Renders of the account that calls wait for. */
  const demand = (): Promise<number> => system.store.connections.commands.exists(`perch:{jobs}:render-demand:${owner.account}`);

  it('a robot that came back with another screen gets a picture for that screen', async () => {
    await system.link.take(owner.robot, owner.token, { ...hello, screen: { ...hello.screen, formats: ['png'] } });
    const { answer, record } = await openWait(system, owner, 'ask', { ...question, question: 'Tea?' });
    assert.equal(record.picture?.format, 'png');
    assert.deepEqual(
      system.drawn.map(({ formats }) => formats[0]),
      ['jpeg', 'png'],
    );
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'No');
  });

  it('a robot that is away answers robot_offline without waiting for the picture, which is no longer wanted', async () => {
    await system.link.release(owner.robot, 'away');
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    system.beforeDrawn = () => held;
    const { status, body } = await system.act(owner, 'ask', { ...question, question: 'Juice?' });
    assert.deepEqual([status, body.code], [503, 'robot_offline']);
    await until(async () => (await demand()) === 0, { what: 'the demand to end' });
    finish();
  });

  it('a failed picture fails the call, and ends no other question', async () => {
    const open = await openWait(system, owner, 'ask', question);
    system.beforeDrawn = () => Promise.reject(new Error('out of ink'));
    const failed = await system.act(owner, 'ask', { ...question, question: 'Water?' });
    assert.deepEqual([failed.status, failed.body.code], [503, 'render_failed']);
    assert.equal((await system.store.waits.read(owner.robot, open.record.number))?.outcome, null);
    await system.link.settle(owner.robot, open.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await open.answer).body.answer, 'Yes');
  });

  it('a menu with a picture of the caller is not drawn for a robot that is away', async () => {
    await system.link.release(owner.robot, 'away');
    const { body } = await system.act(owner, 'menu', { items: ['Soup', { id: 'p', image: pngBase64 }] });
    assert.equal(body.code, 'robot_offline');
    assert.equal(system.drawn.length, 0);
  });
});
