import { Person, type VirtualRobot } from '@perch/virtual-robot';
import type { FuzzSystem } from './fuzz-system.js';

/**
 * A robot-link sends the next command that long after one has expired. A virtual robot that reads a command later than that, because this process was
 * stalled, still counts it.
 */
const ackGraceMs = 1000;

export async function brokenFeatures(system: FuzzSystem): Promise<string[]> {
  const broken = system.errors.map((line) => `in the log, or an end: ${line}`);
  const { robots, keys } = system.others;
  for (const { id, robot } of robots) {
    if (robot.dials !== 1) broken.push(`robot ${id} of the other account had to dial ${robot.dials} times`);
    for (const violation of robot.violations) broken.push(`the service broke the link's contract with ${id}: ${violation}`);
  }
  for (const { robot } of system.robots) {
    for (const violation of robot.violations) {
      if (!(system.stalledMs() > ackGraceMs && violation.includes('commands in flight')))
        broken.push(`the service broke the link's contract: ${violation}`);
    }
  }
  const { program } = system;
  if (program !== null && !(await isOnline(program))) broken.push(`the robot program in MicroPython is not online: ${program.summary()}`);
  const [robotSeed] = robots;
  const person = new Person(robotSeed!.robot, { thinkMs: 50 });
  try {
    const answer = await fetch(`${system.gateway()}/v1/robots/${robotSeed!.id}/ask`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'All right?', answers: ['Yes', 'No'], timeout_s: 10 }),
      signal: AbortSignal.timeout(15_000),
    });
    const body = (await answer.json()) as { outcome?: string };
    if (answer.status !== 200 || body.outcome !== 'answered') broken.push(`ask: ${answer.status} ${JSON.stringify(body)}`);
  } catch (error) {
    broken.push(`ask: ${String(error)}`);
  } finally {
    person.stop();
  }
  return broken;
}

/** A fuzzed call may have ended its connection: it has time to dial again. */
function isOnline(robot: VirtualRobot): Promise<boolean> {
  return robot
    .until(({ online }) => online, { timeoutMs: 15_000 })
    .then(
      () => true,
      () => false,
    );
}
