import assert from 'node:assert/strict';
import type { Closed, RobotOptions } from '@perch/virtual-robot';
import { ProbeRobot, type ProbeRobotOptions } from '../src/probe-robot.js';

class FakeRobot {
  online = false;
  readonly screen = { question: null };
  #listeners: ((event: Closed) => void)[] = [];
  #starting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  readonly options: RobotOptions;
  readonly #accepted: boolean;
  taps = 0;

  constructor(options: RobotOptions, accepted: boolean) {
    this.options = options;
    this.#accepted = accepted;
  }

  on(name: string, listener: (event: Closed) => void): () => void {
    if (name === 'closed') this.#listeners.push(listener);
    return () => {};
  }

  async tap(): Promise<void> {
    this.taps += 1;
  }

  start(): Promise<void> {
    if (this.#accepted) this.online = true;
    return this.online ? Promise.resolve() : new Promise((resolve, reject) => this.#starting.push({ resolve, reject }));
  }

  async stop(): Promise<void> {
    this.close({ code: 1000, reason: 'stopped', status: null, pair: false, final: true, retryMs: null });
  }

  close(event: Closed): void {
    this.online = false;
    if (event.final) for (const { reject } of this.#starting.splice(0)) reject(new Error(event.reason));
    for (const listener of this.#listeners) listener(event);
  }
}

describe('the robot of the probe', () => {
  function robotOf({ accepted = [true], ...options }: { accepted?: boolean[] } & Partial<ProbeRobotOptions> = {}) {
    const made: FakeRobot[] = [];
    const warnings: string[] = [];
    const robot = new ProbeRobot({
      url: 'https://perch.example.org',
      token: 'rt_secret',
      log: { warn: (...args: unknown[]) => void warnings.push(String(args.at(-1))) } as ProbeRobotOptions['log'],
      create: (own) => {
        const fake = new FakeRobot(own, accepted[made.length] ?? accepted.at(-1)!);
        made.push(fake);
        return fake as never;
      },
      ...options,
    });
    return { robot, made, warnings };
  }
  const patient = new AbortController().signal;

  it('dials the robot link below the address of the service, once, and stays connected', async () => {
    const { robot, made } = robotOf();
    robot.connect();
    robot.connect();
    await robot.ready(patient);
    await robot.ready(patient);
    assert.equal(made.length, 1);
    assert.equal(made[0]!.options.url, 'wss://perch.example.org/robot/v1/link');
    assert.equal(robot.isOnline, true);
    await robot.stop();
    assert.equal(robot.isOnline, false);
  });

  it('connects anew for a check once its session is old, because an open connection hides that new ones fail', async () => {
    const { robot, made } = robotOf({ sessionMsMax: 0 });
    await robot.ready(patient);
    await robot.ready(patient);
    assert.equal(made.length, 2);
    assert.deepEqual(
      made.map(({ online }) => online),
      [false, true],
    );
    await robot.stop();
  });

  it('is offline for the check whose time ends before it is connected, and goes on connecting', async () => {
    const { robot, made } = robotOf({ accepted: [false] });
    await assert.rejects(robot.ready(AbortSignal.timeout(5)), { code: 'robot_offline' });
    await assert.rejects(robot.ready(AbortSignal.timeout(5)), { code: 'robot_offline' });
    assert.equal(made.length, 1);
    await robot.stop();
  });

  it('tries again after the service refused it for good, and the check says why it failed', async () => {
    const { robot, made } = robotOf({ accepted: [false, true] });
    const refused = robot.ready(patient);
    made[0]!.close({ code: 1006, reason: 'HTTP 401', status: 401, pair: true, final: true, retryMs: null });
    await assert.rejects(refused, { code: 'robot_offline', message: /: HTTP 401; perch probe add makes a token$/ });
    await robot.ready(patient);
    assert.equal(made.length, 2);
    await robot.stop();
  });

  it('names the address that is no robot link, without a secret, when the time of the check ends', async () => {
    const { robot, made } = robotOf({ accepted: [false], url: 'http://user:password@perch.example.org:8080' });
    const limit = new AbortController();
    const ready = robot.ready(limit.signal);
    made[0]!.close({ code: 1006, reason: 'HTTP 404', status: 404, pair: false, final: false, retryMs: 1000 });
    limit.abort();
    await assert.rejects(ready, {
      code: 'robot_offline',
      message:
        'the robot of the probe is not connected: ws://perch.example.org:8080/robot/v1/link: HTTP 404; set PERCH_LINK_PUBLIC_URL to the address that robots dial',
    });
    await robot.stop();
  });

  it('says that nothing answered where no dial has ended', async () => {
    const { robot } = robotOf({ accepted: [false] });
    await assert.rejects(robot.ready(AbortSignal.abort()), { message: /: wss:\/\/perch\.example\.org\/robot\/v1\/link: no answer$/ });
    await robot.stop();
  });

  it('warns once that another probe uses its token', async () => {
    const { robot, made, warnings } = robotOf();
    await robot.ready(patient);
    made[0]!.close({ code: 4001, reason: 'replaced', status: null, pair: false, final: false, retryMs: 5000 });
    made[0]!.close({ code: 4001, reason: 'replaced', status: null, pair: false, final: false, retryMs: 5000 });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /each probe needs a robot of its own/);
    assert.equal(made.length, 1, 'the robot dials again by itself');
    await robot.stop();
  });
});
