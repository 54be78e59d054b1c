/** Instances that are killed (SIGKILL), with 200 calls in flight. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { MovableRobot } from '../fixture/robots/movable-robot.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { onEndingInstances, pictures, question } from '../fixture/system/ending-instances.js';
import type { SystemUnderTest } from '../fixture/system/system-under-test.js';

onEndingInstances('killed instances', ['gateway SIGKILL', 'renderer SIGKILL', 'robot-link SIGKILL'], ({ system, answered, start, dialsGoTo }) => {
  it('after a robot-link was killed every call is answered in bounded time, nothing is performed twice, and its robots reconnect elsewhere', async () => {
    const traffic = await start();
    dialsGoTo(traffic, 1);
    const since = performance.now();
    system().cluster.links[0]!.signal('SIGKILL');
    await Promise.all(traffic.movableRobots.map(({ robot }) => robot.until(({ lastClosed, online }) => lastClosed !== null && online)));
    await answered(traffic, 200);
    const backAt = performance.now();
    await answered(traffic, 300);
    await traffic.stop();
    for (const code of Object.keys(traffic.counted(since)))
      assert.ok(['200', 'outcome_unknown', 'robot_offline'].includes(code), JSON.stringify(traffic.counted(since)));
    assert.deepEqual(
      Object.keys(traffic.counted(backAt + 2500)).filter((code) => code !== '200'),
      [],
      'all is well again',
    );
    traffic.check();
  });

  it("after a gateway was killed the other one serves its calls, nothing is performed twice, and the dead one's wait ends by itself", async () => {
    const traffic = await start();
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const lost = tenant.api(0).act(id, 'ask', { ...question, timeout_s: 2 });
    lost.catch(() => {});
    await questionShown(robot);
    const since = performance.now();
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    await answered(traffic, 400);
    await traffic.stop();
    for (const code of Object.keys(traffic.counted(since)))
      assert.ok(['200', 'broken', 'refused'].includes(code), JSON.stringify(traffic.counted(since)));
    traffic.check();
    await robot.until(({ screen }) => screen.question === null);
    assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
  });

  it('a newer wait on another gateway replaces the wait of a killed gateway', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const lost = tenant.api(0).act(id, 'ask', question);
    lost.catch(() => {});
    const old = await questionShown(robot);
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const call = tenant.api(1).act(id, 'ask', { ...question, question: 'Again?' });
    await questionShown(robot, old);
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    assert.equal((await call).body.outcome, 'answered');
  });

  it('a question with detach outlives its killed gateway, a card and a restart of its robot, and another gateway reads the tap', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const { body } = await tenant.api(0).act(id, 'ask', { ...question, detach: true, timeout_s: 86_400 });
    assert.equal(body.outcome, 'pending');
    const shown = await questionShown(robot);
    system().cluster.gateways[0]!.signal('SIGKILL');
    const api = tenant.api(1);
    assert.equal((await api.act(id, 'show', { text: 'A card' })).status, 200);
    assert.equal(robot.screen.question?.id, shown, 'it stays above the card');
    robot.restart();
    await waitArmed(system(), id, robot);
    assert.equal(robot.screen.question?.id, shown);
    const waiting = api.get(`/v1/waits/${body.wait}?seconds=20`);
    await robot.tap(...left);
    assert.deepEqual([(await waiting).body.outcome, (await waiting).body.answer], ['answered', 'Yes']);
    const answered = await api.get(`/v1/robots/${id}/events?names=answered&seconds=5`);
    assert.deepEqual(
      answered.body.events.map(({ data }: any) => [data.wait, data.outcome, data.answer]),
      [[body.wait, 'answered', 'Yes']],
    );
  });

  it('a question with detach times out though its gateway was killed', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const { body } = await tenant.api(0).act(id, 'ask', { ...question, detach: true, timeout_s: 2 });
    system().cluster.gateways[0]!.signal('SIGKILL');
    assert.equal((await tenant.api(1).get(`/v1/waits/${body.wait}?seconds=10`)).body.outcome, 'timed_out');
    await robot.until(({ screen }) => screen.question === null);
  });

  it('the entry of a queue whose gateway is killed while it draws it is shown by another one, once, and the next one follows', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const { gateways, renderers } = system().cluster;
    // One gateway looks at the queue, and cannot draw what it takes.
    gateways[1]!.signal('SIGSTOP');
    for (const renderer of renderers) renderer.signal('SIGSTOP');
    const texts = ['Of the dead gateway', 'The next one'];
    for (const text of texts) assert.equal((await tenant.api(0).act(id, 'show', { text, queue: true, for_s: 1, expires_s: 600 })).body.queued, true);
    await until(() => takenOf(system(), id), { what: 'the entry to be taken' });
    gateways[0]!.signal('SIGKILL');
    for (const instance of [gateways[1]!, ...renderers]) instance.signal('SIGCONT');
    await until(() => cardsOf(robot).length === texts.length, { timeoutMs: 60_000, what: 'both cards' });
    // An entry leaves the queue after the ack of its card.
    await until(async () => (await system().store.queue.list(id)).length === 0, { what: 'an empty queue' });
    assert.equal(new Set(cardsOf(robot)).size, texts.length);
  });

  it('a card of a queue that a robot-link took with it is not sent twice, and the next one follows at another robot-link', async () => {
    const tenant = await system().tenant();
    const { id, robot, proxy } = await MovableRobot.start(tenant, { instant: true });
    const [first, other] = [system().cluster.links[0]!, system().link(1)];
    first.signal('SIGSTOP');
    for (const text of ['Of the dead robot-link', 'The next one'])
      assert.equal((await tenant.api(0).act(id, 'show', { text, queue: true, for_s: 1, expires_s: 600 })).body.queued, true);
    await until(async () => (await takenOf(system(), id)) && (await isSending(system(), id)), { what: 'the card to be sent' });
    proxy.switchTo(other);
    const before = robot.session;
    first.signal('SIGKILL');
    await robot.until(({ session, online }) => online && session !== before, { what: 'the robot at another robot-link' });
    await until(async () => (await system().store.queue.list(id)).length === 0, { timeoutMs: 60_000, what: 'an empty queue' });
    await until(() => cardsOf(robot).length > 0, { what: 'the next card' });
    assert.equal(new Set(cardsOf(robot)).size, cardsOf(robot).length);
    assert.equal((await tenant.api(1).act(id, 'face', { emotion: 'happy' })).status, 200);
  });

  it('after a renderer was killed the other one renders its jobs within the time that callers wait', async () => {
    const traffic = await start({ ...pictures, robots: 20, inFlight: 3 });
    system().cluster.renderers[0]!.signal('SIGKILL');
    await answered(traffic, 120);
    await traffic.stop();
    // On a slow machine its two jobs may finish too late, and their callers get an error.
    const { 200: ok = 0, render_failed: late = 0, ...others } = traffic.counted();
    assert.ok(ok >= 120 && late <= 2, JSON.stringify(traffic.counted()));
    assert.deepEqual(others, {});
    assert.ok(traffic.slowestMs < 16_500, `${traffic.slowestMs} ms`);
    traffic.check();
  });
});

async function takenOf({ store }: SystemUnderTest, robot: string): Promise<boolean> {
  return (await store.connections.commands.hexists(`perch:{${robot}}:queue:entries`, 'taken')) === 1;
}

async function isSending({ store }: SystemUnderTest, robot: string): Promise<boolean> {
  return (await store.connections.commands.hexists(`perch:{${robot}}:queue:entries`, 'sending')) === 1;
}

/** Returns the pictures of the cards that the robot acked, in order. */
function cardsOf(robot: VirtualRobot): string[] {
  return robot.commands.flatMap(({ name, args, ack }) =>
    name === 'screen.show' && args['layer'] === 'card' && ack !== null ? [String(args['id']).slice(0, -12)] : [],
  );
}
