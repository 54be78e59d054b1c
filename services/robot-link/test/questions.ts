/** Questions to robots, as a gateway asks them. */
import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import type { WaitOutcome } from '@perch/schema';
import { leftHalf, rightHalf, type TestRobot, type LinksUnderTest } from './links-under-test.js';

export function questionsOn(system: LinksUnderTest) {
  const targets = [leftHalf, rightHalf];
  const outcomeOf = (made: TestRobot, number: number): Promise<WaitOutcome> =>
    until(async () => (await system.store.waits.read(made.id, number))?.outcome, { what: `the outcome of wait ${number}` });
  const armed = (made: TestRobot, number: number) =>
    until(async () => (await system.store.waits.read(made.id, number))?.armed, { what: `wait ${number} to be armed` });
  const ask = async (made: TestRobot, timeoutMs = 30_000) => {
    const record = await system.gateway.wait(made, { kind: 'ask', targets, picture: await system.picture(), timeoutMs });
    await armed(made, record.number);
    assert.equal(made.robot.screen.question?.id, `w${record.number}`);
    return record;
  };
  return { targets, outcomeOf, armed, ask };
}
