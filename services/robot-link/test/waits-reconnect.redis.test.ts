import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { questionsOn } from './questions.js';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('waits of a robot that reconnects', () => {
  const system = useLinks();
  const link = useLink(system);

  const { targets, outcomeOf, armed, ask } = questionsOn(system);

  const dropAndReturn = async (made: TestRobot) => {
    const before = made.robot.session;
    made.robot.faults.dropConnection();
    await made.robot.until(({ online, session }) => online && session !== before);
  };

  it('continues a wait whose question is still on the screen without drawing it again', async () => {
    const made = await system.started(link, { instant: true });
    const { number } = await ask(made);
    await dropAndReturn(made);
    await made.robot.tap(20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    await made.robot.until(({ screen }) => screen.question === null);
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['screen.show', 'screen.clear'],
    );
  });

  it('draws the question again on a robot that restarted, with the remaining time', async () => {
    const made = await system.started(link, { instant: true });
    const { number, timeoutMs } = await ask(made);
    const deadline = (await armed(made, number)).deadline;
    made.robot.restart();
    await made.robot.until(({ screen, online }) => online && screen.question?.id === `w${number}`);
    await until(async () => (await system.store.waits.read(made.id, number))?.armed?.bootId === made.robot.bootId);
    assert.equal((await armed(made, number)).deadline, deadline);
    const shown = made.robot.commands.at(-1)!;
    assert.ok((shown.args['show_ms'] as number) < timeoutMs + 2000);
    await made.robot.tap(20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
  });

  it('removes a question whose wait ended while the robot was disconnected', async () => {
    const made = await system.started(link);
    const { number } = await ask(made);
    made.robot.faults.halfOpen();
    await system.store.waits.settle(made.id, number, { outcome: 'cancelled' }, null);
    made.robot.faults.redial();
    await made.robot.until(({ online, screen }) => online && screen.question === null);
  });

  it('answers a wait with a tap that was made while the robot was disconnected', async () => {
    const made = await system.started(link, { instant: true, reconnect: { minMs: 300 } });
    const { number } = await ask(made);
    made.robot.faults.dropConnection();
    await made.robot.until(({ online }) => !online);
    await made.robot.tap(250, 100);
    const outcome = await outcomeOf(made, number);
    assert.equal(outcome.outcome === 'answered' && outcome.index, 1);
    await made.robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
    await system.events(made, ['connected', 'connected']);
    assert.equal((await system.store.waits.read(made.id, number))?.robotAway, true);
  });

  it('arms a wait on another instance if it was opened while nobody held the robot', async () => {
    const other = await system.instance();
    const made = await system.started(link, { instant: true, reconnect: { minMs: 10_000 } });
    await made.robot.stop();
    const picture = await system.picture();
    const record = {
      number: (await system.store.waits.number(made.id)) ?? assert.fail(),
      kind: 'ask' as const,
      targets,
      picture,
      timeoutMs: 5000,
      gateway: system.gateway.id,
      call: 'x',
      requestId: 'x',
    };
    await system.store.waits.open(made.id, record);
    const again = system.again(made, other.app.address, { instant: true });
    await again.robot.start();
    await armed(again, record.number);
    await again.robot.tap(20, 20);
    assert.equal((await outcomeOf(again, record.number)).outcome, 'answered');
  });
});
