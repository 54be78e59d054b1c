import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { allFeatures } from '@perch/virtual-robot';
import { questionsOn } from './questions.js';
import { leftHalf, useLink, useLinks, type Instance, type TestRobot } from './links-under-test.js';

const ofEarlierReleases = allFeatures.filter((feature) => feature !== 'lights_questions');

describe('a question on a dark screen', () => {
  const system = useLinks();
  const link = useLink(system);
  const { outcomeOf, armed, ask } = questionsOn(system);
  const tap = (made: TestRobot, x: number, y: number): Promise<void> => made.robot.tap(x, y);
  const moveTo = async (made: TestRobot, other: Instance): Promise<void> => {
    made.robot.dialAt(other.app.address);
    made.robot.faults.redial();
    await until(async () => (await system.store.leases.find(made.id)).instance === other.store.instance, { what: 'the take-over' });
  };

  const set = async (made: TestRobot, command: 'screen' | 'brightness', args: object): Promise<void> => {
    const reply = await system.gateway.command(made, { name: 'robot', args: { command, args } });
    assert.equal(reply.t, 'ack', JSON.stringify(reply));
  };

  for (const [what, command, args] of [
    ['off', 'screen', { on: false }],
    ['at 0 %', 'brightness', { pct: 0 }],
  ] as const)
    it(`is lit to 30 % where a program had switched it ${what}, which returns after the question`, async () => {
      const made = await system.started(link, { instant: true, features: ofEarlierReleases });
      await set(made, command, args);
      assert.equal(made.robot.brightness, 0);
      const { number } = await ask(made);
      assert.equal(made.robot.brightness, 30);
      await tap(made, 20, 100);
      assert.equal((await outcomeOf(made, number)).outcome, 'answered');
      await made.robot.until(({ own }) => own.screenOn === (command !== 'screen') && own.brightness === (command === 'screen' ? 80 : 0));
      assert.deepEqual(made.robot.violations, []);
    });

  it('answers nothing while the robot refuses to be lit', async () => {
    const made = await system.started(link, { instant: true, features: ofEarlierReleases });
    await set(made, 'screen', { on: false });
    made.robot.faults.nack('hardware', ['robot']);
    const { number } = await ask(made);
    await tap(made, 20, 100);
    await system.events(made, ['connected', 'tap']);
    assert.equal((await system.store.waits.read(made.id, number))?.outcome, null);
  });

  it('is lit for a clickmap, also at a robot that lights its questions itself', async () => {
    const made = await system.started(link, { instant: true });
    await set(made, 'screen', { on: false });
    const { number } = await system.gateway.wait(made, { kind: 'clickmap', targets: [leftHalf] });
    await armed(made, number);
    await made.robot.until(({ brightness }) => brightness === 30);
    await tap(made, 20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    await made.robot.until(({ brightness }) => brightness === 0);
  });

  it('is not answered by the touch that lit the screen of a robot, but by the next', async () => {
    const made = await system.started(link, { instant: true });
    const { number } = await system.gateway.wait(made, { kind: 'clickmap', targets: [leftHalf] });
    await armed(made, number);
    made.robot.own.screenOn = false;
    await tap(made, 20, 100);
    await system.events(made, ['connected', 'tap']);
    assert.equal(made.robot.brightness, 30);
    await tap(made, 20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
  });

  it('stays lit when a program switches the screen off, which it is after the question', async () => {
    const made = await system.started(link, { instant: true, features: ofEarlierReleases });
    const { number } = await ask(made);
    await set(made, 'screen', { on: false });
    await set(made, 'brightness', { pct: 20 });
    assert.deepEqual([made.robot.own.screenOn, made.robot.brightness], [true, 20]);
    await tap(made, 20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    await made.robot.until(({ brightness }) => brightness === 0);
  });

  it('is dark again although another robot-link took the robot over while the question was open', async () => {
    const other = await system.instance();
    const made = await system.started(link, { instant: true, features: ofEarlierReleases });
    await set(made, 'brightness', { pct: 60 });
    await set(made, 'screen', { on: false });
    const { number } = await ask(made);
    await moveTo(made, other);
    await tap(made, 20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    await made.robot.until(({ own }) => !own.screenOn && own.brightness === 60);
  });

  it('is lit by another robot-link than that which a program told to switch the screen off', async () => {
    const other = await system.instance();
    const made = await system.started(link, { instant: true, features: ofEarlierReleases });
    await set(made, 'screen', { on: false });
    await moveTo(made, other);
    await ask(made);
    assert.equal(made.robot.brightness, 30);
  });

  it('is sent nothing but its picture after a restart of the robot, which is lit then', async () => {
    const made = await system.started(link, { instant: true, features: ofEarlierReleases });
    await set(made, 'screen', { on: false });
    const { session } = made.robot;
    made.robot.restart();
    await made.robot.until((robot) => robot.session !== null && robot.session !== session);
    await ask(made);
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['robot', 'screen.show'],
    );
  });
});
