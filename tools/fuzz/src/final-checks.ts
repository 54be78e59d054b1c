import { Person, type VirtualRobot } from '@perch/virtual-robot';
import type { FuzzSystem } from './fuzz-system.js';

/**
 * A robot-link sends the next command that long after one has expired. A virtual robot that reads a command later than that, because this process was
 * stalled, still counts it.
 */
const ackGraceMs = 1000;

export async function brokenFeatures(system: FuzzSystem): Promise<string[]> {
  const broken = system.errors.map((line) => `in the log, or an end: ${line}`);
  const { robots } = system.others;
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
  for (const whole of [false, true]) broken.push(...(await brokenQuestion(system, whole)));
  return broken;
}

/** Touches right after the picture, which no person can make on purpose: each is an event, and none is the answer. Of an approval also the grey answers. */
async function brokenQuestion(system: FuzzSystem, whole: boolean): Promise<string[]> {
  const hastyXs = whole ? [62, 162, 262] : [61, 161, 261];
  const { robots, keys } = system.others;
  const broken: string[] = [];
  const { robot, id } = robots[0]!;
  const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' };
  const base = `${system.gateway()}/v1/robots/${id}`;
  const tapHastily = async (): Promise<void> => {
    for (const x of hastyXs) await robot.tap(x, 170, { lookMs: 0, instant: true });
  };
  const off = robot.on('ack', () => {
    if (robot.screen.question === null) return;
    off();
    void tapHastily();
  });
  const person = new Person(robot, { thinkMs: 50, approvals: true });
  let isLive = false;
  const offPicture = robot.on('picture', ({ id: shown }) => (isLive ||= shown.endsWith('r1')));
  try {
    const answer = await fetch(`${base}/ask`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ question: 'All right?', answers: ['Yes', 'No'], whole, timeout_s: 10 }),
      signal: AbortSignal.timeout(15_000),
    });
    const body = (await answer.json()) as { outcome?: string };
    if (answer.status !== 200 || body.outcome !== 'answered') broken.push(`ask: ${answer.status} ${JSON.stringify(body)}`);
    if (whole && !isLive) broken.push('ask: an approval was answered while its answers were grey');
    const read = await fetch(`${base}/events?after=0&names=tap`, { headers, signal: AbortSignal.timeout(15_000) });
    const { events = [] } = (await read.json()) as { events?: { data: { x: number } }[] };
    for (const x of hastyXs)
      if (!events.some(({ data }) => data.x === x)) broken.push(`a touch right after the question, at x ${x}, is no event: it may have answered`);
  } catch (error) {
    broken.push(`ask: ${String(error)}`);
  } finally {
    off();
    offPicture();
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
