/** `perch robot check`: what a robot on the desk does, tried with the person in front of it. */
import { PerchError, type EventName, type Readings, type RobotClient } from '@perch/client';

export type CheckOutcome =
  | 'passed'
  | 'failed'
  /** The robot does not offer it, or the person skipped it. */
  | 'skipped'
  /** Nobody answered, or nothing was reported, in time. */
  | 'not_seen';

export interface CheckResult {
  check: string;
  outcome: CheckOutcome;
  detail: string;
}

export interface CheckReport {
  robot: string;
  model: string;
  firmware: string;
  started_at: string;
  ended_at: string;
  results: CheckResult[];
  readings: Readings;
}

export interface CheckOptions {
  /** How long the person has for each answer. */
  answerS: number;
  /** How long each LED lights. */
  ledMs: number;
  /** Calibrates the head first, also if it was. */
  calibrate: boolean;
  /** Called as each check begins, and with its result. */
  onCheck: (check: string, result?: CheckResult) => void;
}

type Seen = Omit<CheckResult, 'check'>;

interface Desk extends Omit<CheckOptions, 'onCheck'> {
  robot: RobotClient;
}

const latencyCalls = 10;
const ledCount = 12;
const yawDeg = 35;
/** A robot with servos calibrates its head by it; its answer says why there is no head. */
const calibrateCommand = 'calibrate_head';
/** A robot that checks certificates tells its time by it. */
const clockCommand = 'clock';
const clockAheadMaxS = 60;
/** How long the robot takes to move between the two answers of a calibration, and to connect with a head. */
const calibrationMs = 30_000;
const pollMs = 500;
const touchArea = { id: 'here', rect: [180, 120, 140, 120] as [number, number, number, number] };

const checks: Record<string, (desk: Desk) => Promise<Seen>> = {
  latency: checkLatency,
  face: async (desk) => {
    await desk.robot.face({ emotion: 'happy' });
    return confirm(desk, 'Did my face look happy?');
  },
  head: checkHead,
  LEDs: checkLeds,
  touch: checkTouch,
  'head touch': (desk) => checkEvent(desk, ['pat', 'stroke', 'pet'], 'Stroke my head'),
  tag: (desk) => checkEvent(desk, ['tag'], 'Hold an NFC tag against me'),
  remote: (desk) => checkEvent(desk, ['remote'], 'Point a remote control at me and press a key'),
  motion: (desk) => checkEvent(desk, ['shaken', 'picked_up'], 'Shake me gently'),
  sound: checkSound,
  memory: checkMemory,
  'Wi-Fi': checkWifi,
  clock: checkClock,
  update: checkUpdate,
};

/** Ends with the report whatever fails, but for a robot that is offline when it begins. @throws {PerchError} the first reading of its state failed */
export async function checkRobot(robot: RobotClient, { onCheck, ...options }: CheckOptions): Promise<CheckReport> {
  const { id, model, firmware, online } = await robot.state();
  if (!online) throw new PerchError('robot_offline', `The robot ${id} is offline.`, { status: 0 });
  const startedAt = new Date().toISOString();
  const results: CheckResult[] = [];
  for (const [check, run] of Object.entries(checks)) {
    onCheck(check);
    const result = { check, ...(await run({ robot, ...options }).catch(seenOf)) };
    results.push(result);
    onCheck(check, result);
  }
  await robot.stop().catch(() => undefined);
  const readings = await robot.state().then(
    (state) => state.readings,
    () => ({}),
  );
  return { robot: id, model, firmware, started_at: startedAt, ended_at: new Date().toISOString(), results, readings: withoutNames(readings) };
}

/** The report is sent to others: the name of the owner's network stays out of it. */
function withoutNames(readings: Readings): Readings {
  const names = new Set<string>(['wifi_ssid', 'ip_address']);
  return Object.fromEntries(Object.entries(readings).filter(([name]) => !names.has(name)));
}

function seenOf(error: unknown): Seen {
  if (error instanceof PerchError && error.code === 'not_offered') return { outcome: 'skipped', detail: 'the robot does not offer it' };
  return { outcome: 'failed', detail: error instanceof Error ? error.message : String(error) };
}

async function checkLatency({ robot }: Desk): Promise<Seen> {
  const times: number[] = [];
  for (let call = 0; call < latencyCalls; call += 1) {
    const before = performance.now();
    await robot.face({ emotion: 'neutral' });
    times.push(Math.round(performance.now() - before));
  }
  times.sort((a, b) => a - b);
  return { outcome: 'passed', detail: `${latencyCalls} calls: median ${times[latencyCalls / 2]} ms, longest ${times.at(-1)} ms, from this computer` };
}

/** Positive yaw is to the robot's left. A robot that has left its head out calibrates it first, if it can. */
async function checkHead(desk: Desk): Promise<Seen> {
  const { features = [], commands } = await desk.robot.state();
  const calibrates = commands.some(({ name }) => name === calibrateCommand);
  if (calibrates && (desk.calibrate || !features.includes('head'))) {
    const why = await calibrate(desk);
    if (why !== null) return { outcome: 'failed', detail: why };
  }
  await desk.robot.move({ yaw: yawDeg });
  const { answer } = await desk.robot.ask({
    question: 'Did I look to your left or to your right?',
    answers: ['Left', 'Right'],
    timeout_s: desk.answerS,
  });
  await desk.robot.move({ gesture: 'home' });
  if (answer === null) return nobody;
  if (answer === 'Right') return { outcome: 'passed', detail: "positive yaw turns to the robot's left" };
  const again = calibrates ? 'run this check once more, with --calibrate, or ' : '';
  return {
    outcome: 'failed',
    detail: `positive yaw turns to the robot's right: ${again}run perch robot install once more, with --yaw-sign 1 (or -1, if it was 1)`,
  };
}

/** The robot itself asks the person: to hold its head level, and where it looks. @returns why it has no head, null if it has one */
async function calibrate({ robot, answerS }: Desk): Promise<string | null> {
  const { result } = await robot.command({ command: calibrateCommand });
  const why = typeof result['why'] === 'string' && result['why'] !== '' ? result['why'] : 'to be calibrated';
  const until = Date.now() + 2 * answerS * 1000 + calibrationMs;
  let wasOff = false;
  while (Date.now() < until) {
    const { online, features = [] } = await robot.state();
    const isOff = !features.includes('head');
    if (online && !isOff && wasOff) return null;
    wasOff ||= isOff;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return `the head is off (${why}), and is still off after the calibration that the robot offers on its screen`;
}

async function checkLeds(desk: Desk): Promise<Seen> {
  for (let lit = 0; lit < ledCount; lit += 1) {
    await desk.robot.leds({ pixels: Array.from({ length: ledCount }, (_, index) => (index === lit ? 'white' : '#000000')) });
    await new Promise((resolve) => setTimeout(resolve, desk.ledMs));
  }
  await desk.robot.leds({ off: true });
  return confirm(desk, 'Did 12 lights go on in turn: my left side front to back, then my right side back to front?');
}

async function checkTouch(desk: Desk): Promise<Seen> {
  await desk.robot.show({ title: 'Touch here', text: 'Touch the lower right corner', align: 'right' });
  const { region, x, y } = await desk.robot.clickmap({ regions: [touchArea], timeout_s: desk.answerS });
  return region === null
    ? { outcome: 'not_seen', detail: `nobody touched the corner within ${desk.answerS} s` }
    : { outcome: 'passed', detail: `touched at ${x}, ${y}` };
}

/** The prompt stays on the screen; a tap on it skips the check. */
async function checkEvent({ robot, answerS }: Desk, names: EventName[], prompt: string): Promise<Seen> {
  const { last_seq: after } = await robot.state();
  await robot.show({ title: prompt, text: 'Tap the screen to skip this.' });
  const signal = AbortSignal.timeout(answerS * 1000);
  try {
    for await (const event of robot.events({ names: [...names, 'tap'], after, signal })) {
      if (event.name === 'gap') continue;
      if (event.name === 'tap') return { outcome: 'skipped', detail: 'the person tapped to skip it' };
      return { outcome: 'passed', detail: `reported ${event.name}` };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { outcome: 'not_seen', detail: `none of ${names.join(', ')} was reported within ${answerS} s` };
}

async function checkSound(desk: Desk): Promise<Seen> {
  const { silenced } = await desk.robot.sound({ notes: 'C5:250 E5:250 G5:250' });
  if (silenced !== undefined) return { outcome: 'skipped', detail: 'the robot is silent in its quiet hours' };
  return confirm(desk, 'Did you hear three tones?');
}

async function checkMemory({ robot }: Desk): Promise<Seen> {
  const { heap_free_kb: free, heap_min_kb: min, psram_free_kb: psram } = (await robot.state()).readings;
  if (free === undefined || free === null) return { outcome: 'skipped', detail: 'the robot does not report its heap' };
  const parts = [`${free} KB free`, min && `never less than ${min} KB`, psram && `${psram} KB of PSRAM`];
  return { outcome: 'passed', detail: parts.filter(Boolean).join(', ') };
}

async function checkWifi({ robot }: Desk): Promise<Seen> {
  const { wifi_rssi_dbm: dbm } = (await robot.state()).readings;
  if (dbm === undefined || dbm === null) return { outcome: 'skipped', detail: 'the robot does not report its signal' };
  return {
    outcome: dbm < -80 ? 'failed' : 'passed',
    detail: `${dbm} dBm${dbm < -80 ? ': too weak, move the robot closer to the access point' : ''}`,
  };
}

/** The robot program has the command where it checks certificates. A wrong clock would refuse all of them. */
async function checkClock({ robot }: Desk): Promise<Seen> {
  const { commands } = await robot.state();
  if (!commands.some(({ name }) => name === clockCommand))
    return { outcome: 'skipped', detail: 'the robot checks no certificates, or does not tell its time' };
  const { result } = await robot.command({ command: clockCommand });
  const aheadS = Math.round(Number(result['unix_s']) - Date.now() / 1000);
  const shiftS = Number(result['tls_shift_s']);
  const shifted = shiftS === 0 ? '' : `; its firmware checks certificates by a clock that is ${shiftS} s ahead, which the program makes up for`;
  return { outcome: Math.abs(aheadS) > clockAheadMaxS ? 'failed' : 'passed', detail: `${aheadS} s ahead of this computer's clock${shifted}` };
}

async function checkUpdate({ robot }: Desk): Promise<Seen> {
  const { update } = await robot.state();
  if (update === undefined || update === null) return { outcome: 'skipped', detail: 'the service does not update its program' };
  const { current, offered, error } = update;
  if (error) return { outcome: 'failed', detail: `the update from ${current} to ${offered} failed: ${error}` };
  return { outcome: 'passed', detail: `runs ${current}${offered === null ? '' : `, and ${offered} is offered`}` };
}

const nobody: Seen = { outcome: 'not_seen', detail: 'nobody answered on its screen in time' };

async function confirm({ robot, answerS }: Desk, question: string): Promise<Seen> {
  const { answer } = await robot.ask({ question, answers: ['Yes', 'No'], timeout_s: answerS });
  if (answer === null) return nobody;
  return answer === 'Yes'
    ? { outcome: 'passed', detail: 'the person at the robot said yes' }
    : { outcome: 'failed', detail: 'the person at the robot said no' };
}
