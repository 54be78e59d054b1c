/** One call for tests of other projects: a virtual robot, online, with a simulated person at it. */
import { Person } from './input/person.js';
import type { RobotOptions } from './options.js';
import { VirtualRobot } from './virtual-robot.js';

export interface StartOptions extends Omit<RobotOptions, 'url'> {
  /** Address of the service that the robot connects to, such as `https://perch.example.org`, or of the link itself (`ws(s)://…/robot/v1/link`). */
  baseUrl: string;
  /** Has a simulated person answer each question after `thinkMs`, but no approval (`whole`, or a key with the scope `approve`). Default: true. */
  person?: boolean;
  /** Has the person answer approvals as well, at random. Default: false. */
  approvals?: boolean;
  /** Time until the person taps, at least 400 ms: a touch within 350 ms of the picture does not count. Default: 400 ms. */
  thinkMs?: number;
  /** Time within which the robot must be online. Default: 30 s. */
  withinMs?: number;
}

export interface StartedRobot {
  robot: VirtualRobot;
  /** Null with `person: false`. */
  person: Person | null;
  /** Ends the connection and the person. The robot is then offline. */
  stop(): Promise<void>;
}

/**
 * Starts a virtual robot. Resolves when it is online.
 * @throws {TypeError} for a `baseUrl` that is no http, https, ws or wss URL
 * @throws {LinkError} the token is not valid, or the robot was not online within `withinMs`
 */
export async function startVirtualRobot(options: StartOptions): Promise<StartedRobot> {
  const { baseUrl, person: isAnswered = true, approvals = false, thinkMs = 400, withinMs = 30_000, ...own } = options;
  const robot = new VirtualRobot({ ...own, url: linkUrlOf(baseUrl) });
  const timer = setTimeout(() => void robot.stop(), withinMs);
  try {
    await robot.start();
  } finally {
    clearTimeout(timer);
  }
  const person = isAnswered ? new Person(robot, { thinkMs, againMs: thinkMs, approvals }) : null;
  return {
    robot,
    person,
    async stop() {
      person?.stop();
      await robot.stop();
    },
  };
}

/** @returns the URL of the robot link below the address of a service @throws {TypeError} it is no http, https, ws or wss URL */
export function linkUrlOf(baseUrl: string): string {
  const schemes: Readonly<Record<string, string>> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' };
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const scheme = url === null ? undefined : schemes[url.protocol];
  if (url === null || scheme === undefined) throw new TypeError('baseUrl must be an http, https, ws or wss URL');
  const path = url.pathname.replace(/\/+$/, '');
  return `${scheme}//${url.host}${path.endsWith('/robot/v1/link') ? path : `${path}/robot/v1/link`}`;
}
