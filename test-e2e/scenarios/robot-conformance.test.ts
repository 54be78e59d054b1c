/** The conformance run (packages/conformance) against robots that follow docs/robot-link.md, and against robots with one fault each. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@perch/cli';
import { badgeOf, checks, gradeRobot, quarterPicture, quarters, type ConformanceReport } from '@perch/conformance';
import { LinkServer } from '@perch/link-server';
import { MicropythonRobot } from '@perch/micropython-robot';
import { needsMicropython, provideMicropython, until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { WebSocket } from 'ws';
import { brightQuarter } from '../fixture/robots/bright-quarter.js';
import { changedMessages } from '../fixture/robots/changed-messages.js';

const examples = fileURLToPath(new URL('../../examples/robots/', import.meta.url));
const touchCheck = 'shows a picture, and reports a touch where it is';
const pairing = ['pairs when the service tells it to', 'polls at the interval'];
const ownCommands = 'refuses wrong arguments of its own commands';
const readings = 'reports readings by their names and ranges';

type Graded = Promise<ConformanceReport>;
/** A robot that runs, and how it ends. */
type Started = { stop: () => unknown; hasPerson?: boolean; onTouchAsked?: () => void };

async function graded(start: (server: LinkServer) => Promise<Started>): Graded {
  const server = await new LinkServer().start();
  const { stop, hasPerson = false, onTouchAsked } = await start(server);
  try {
    return await gradeRobot(server, {
      hasPerson,
      firstDialMs: 60_000,
      onCheck: ({ check }, result) => result === undefined && check === touchCheck && onTouchAsked?.(),
    });
  } finally {
    await stop();
    await server.stop();
  }
}

/** A person who looks at the picture and taps its bright quarter. */
function tapBrightQuarter(robot: { tap(x: number, y: number): unknown }, { id, picture }: { id: string; picture: Uint8Array }): void {
  if (id === 'perch-touch') void brightQuarter(picture).then(({ x, y }) => robot.tap(x, y));
}

function virtualRobot(change: (robot: VirtualRobot) => void = () => undefined) {
  return (server: LinkServer, url = server.url): Promise<Started> => {
    const robot = new VirtualRobot({ url, token: 'rt_test' });
    change(robot);
    robot.start().catch(() => undefined);
    return Promise.resolve({ stop: () => robot.stop() });
  };
}

async function micropythonRobot(server: LinkServer): Promise<Started> {
  const micropython = await provideMicropython();
  if (typeof micropython === 'string') throw new Error(micropython);
  const robot = new MicropythonRobot({ micropython, url: server.url });
  robot.on('picture', (shown) => tapBrightQuarter(robot, shown));
  robot.boot();
  return { stop: () => robot.stop(), hasPerson: true };
}

/** An example as a process; the person sees its screen as a file. */
function example(command: string, program: string) {
  return (server: LinkServer): Promise<Started> => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-example-'));
    const child = spawn(command, [join(examples, program), server.url, folder], { env: { ...process.env, PERCH_ROBOT_TOKEN: 'rt_test' } });
    child.stdout.resume();
    child.stderr.on('data', (data: Buffer) => process.stderr.write(`${program}: ${String(data)}`));
    child.on('error', () => undefined);
    const acks = (): number => server.sessions.flatMap((session) => session.of('ack')).length;
    const tap = async (): Promise<void> => {
      const before = acks();
      await until(() => acks() > before, { what: 'the picture' });
      const { x, y } = await brightQuarter(readFileSync(join(folder, 'card.png')));
      child.stdin.write(`${x} ${y}\n`);
    };
    const stop = (): void => {
      child.kill();
      rmSync(folder, { recursive: true });
    };
    return Promise.resolve({ stop, hasPerson: true, onTouchAsked: () => void tap() });
  };
}

/** Answers each command at once with ok, shows nothing and plays nothing. */
function yesRobot(server: LinkServer): Promise<Started> {
  let dial = 0;
  let socket: WebSocket;
  let timer: NodeJS.Timeout;
  const connect = (): void => {
    socket = new WebSocket(server.url, 'perch-link.v1', { headers: { authorization: 'Bearer rt_test' } });
    const send = (message: object): void => socket.send(JSON.stringify(message));
    socket.on('open', () => {
      dial += 1;
      const screen = { w: 320, h: 240, formats: ['png'], max_bytes: 98_304 };
      send({
        t: 'hello',
        v: [1],
        model: 'yes',
        firmware: '1',
        boot_id: 'b1',
        dial,
        reason: dial === 1 ? 'start' : 'reconnect',
        screen,
        features: ['screen', 'face', 'bubble'],
      });
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) return;
      const { t, id } = JSON.parse(String(data)) as { t: string; id: string };
      if (t === 'cmd') send({ t: 'ack', id, ms: performance.now(), ok: true, result: {} });
      if (t === 'ping') send({ t: 'pong' });
    });
    socket.on('error', () => undefined);
    socket.on('close', () => (timer = setTimeout(connect, 100)));
  };
  connect();
  return Promise.resolve({
    stop: () => {
      socket.removeAllListeners('close').terminate();
      clearTimeout(timer);
    },
  });
}

/** Forgets with each flow 2 KB of its buffer. */
async function lossyRobot(server: LinkServer): Promise<Started> {
  const lost = new Map<unknown, number>();
  const between = await changedMessages(server.url, {
    fromRobot(message) {
      if (message.t !== 'flow') return message;
      lost.set(message['stream'], (lost.get(message['stream']) ?? 0) + 2048);
      return { ...message, free: Math.max(0, Number(message['free']) - lost.get(message['stream'])!) };
    },
  });
  const { stop } = await virtualRobot()(server, between.url);
  return { stop: () => Promise.resolve(stop()).then(between.close) };
}

/** Takes a repeated id for a new command. */
async function forgetfulRobot(server: LinkServer): Promise<Started> {
  const times = new Map<unknown, number>();
  const between = await changedMessages(server.url, {
    toRobot(message) {
      if (message.t !== 'cmd') return message;
      const { id } = message;
      times.set(id, (times.get(id) ?? 0) + 1);
      return { ...message, id: `${String(id)}~${times.get(id)}` };
    },
    fromRobot: (message) => (message.t === 'ack' ? { ...message, id: String(message['id']).split('~')[0] } : message),
  });
  const { stop } = await virtualRobot()(server, between.url);
  return { stop: () => Promise.resolve(stop()).then(between.close) };
}

const robots = {
  micropython: micropythonRobot,
  python: example('python3', 'robot.py'),
  node: example(process.execPath, 'robot.mjs'),
  yes: yesRobot,
  lossy: lossyRobot,
  forgetful: forgetfulRobot,
  twice: virtualRobot((robot) => (robot.faults.settings.ackTwice = true)),
};

const named = ({ results }: ConformanceReport, ...outcomes: string[]): string[] =>
  results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ check }) => check);

function assertNoneFailed(report: ConformanceReport): void {
  assert.deepEqual(
    report.results.filter(({ outcome }) => outcome === 'failed'),
    [],
  );
  assert.equal(badgeOf(report).color, 'brightgreen');
}

/** @param check failed, with this sentence of the document */
function assertFailed(report: ConformanceReport, check: string, sentence: string, detail: RegExp): void {
  const result = report.results.find((each) => each.check === check)!;
  assert.deepEqual([result.outcome, result.sentence], ['failed', sentence]);
  assert.match(result.detail, detail);
  assert.equal(badgeOf(report).isError, true);
}

describe('the conformance run of the robot link', () => {
  /** All robots are graded side by side, each by a server of its own. */
  let reports: Record<keyof typeof robots, Graded>;
  before(() => {
    reports = Object.fromEntries(
      Object.entries(robots).map(([name, start]) => {
        const report = graded(start);
        report.catch(() => undefined);
        return [name, report];
      }),
    ) as typeof reports;
  });
  after(() => Promise.allSettled(Object.values(reports)));

  for (const quarter of quarters)
    it(`draws the ${quarter} quarter bright, as PNG and as JPEG`, async () => {
      for (const [format, start] of [
        ['png', '89504e47'],
        ['jpeg', 'ffd8ff'],
      ] as const) {
        const picture = quarterPicture(format, { w: 320, h: 240 }, quarter);
        assert.ok(picture.toString('hex').startsWith(start));
        assert.equal((await brightQuarter(picture)).quarter, quarter);
      }
    });

  it('perch robot check --link passes the virtual robot, with a person, and writes a report and a badge', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-conformance-'));
    let err = '';
    let out = '';
    let robot: VirtualRobot | null = null;
    const told = (text: string): void => {
      err += text;
      const url = /robot dial (ws:\S+)/.exec(err)?.[1];
      if (url === undefined || robot !== null) return;
      const started = new VirtualRobot({ url, token: 'rt_test' });
      started.on('picture', (shown) => tapBrightQuarter(started, shown));
      robot = started;
      started.start().catch(() => undefined);
    };
    try {
      const args = ['robot', 'check', '--link', 'ws://127.0.0.1:0', '--person', '--out', 'link'];
      const code = await runProgram(args, { environment: { HOME: folder }, folder, out: (text) => (out += text), err: told });
      assert.equal(code, 0, out);
      const report = JSON.parse(readFileSync(join(folder, 'link.json'), 'utf8')) as ConformanceReport;
      assertNoneFailed(report);
      assert.deepEqual(named(report, 'skipped', 'not_seen'), pairing);
      assert.equal(report.results.length, checks.length);
      const badge = JSON.parse(readFileSync(join(folder, 'link.badge.json'), 'utf8')) as object;
      const count = checks.length - pairing.length;
      assert.deepEqual(badge, {
        schemaVersion: 1,
        label: 'Perch robot link v1',
        message: `${count} of ${count}`,
        color: 'brightgreen',
        isError: false,
      });
      assert.match(out, /^Media +6 +0 +0$/m);
    } finally {
      await (robot as VirtualRobot | null)?.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('perch robot check refuses --link together with a robot, without an address, and with an address of TLS', async () => {
    for (const args of [['r-1', '--link', 'ws://127.0.0.1:0'], [], ['--link', 'wss://127.0.0.1:0'], ['--link', 'nonsense']]) {
      let err = '';
      const code = await runProgram(['robot', 'check', ...args], { environment: {}, out: () => undefined, err: (text) => (err += text) });
      assert.equal(code, 64, err);
    }
  });

  it('passes the robot program in MicroPython, which pairs first', async function () {
    await needsMicropython(this);
    const report = await reports.micropython;
    assertNoneFailed(report);
    assert.deepEqual(named(report, 'skipped', 'not_seen'), []);
  });

  for (const [name, program] of [
    ['python', 'robot.py'],
    ['node', 'robot.mjs'],
  ] as const)
    it(`passes examples/robots/${program}, which has neither head, LEDs nor speaker`, async () => {
      const report = await reports[name];
      assertNoneFailed(report);
      const parts = /does not offer (head|leds|speaker)$/;
      const others = report.results.filter(({ outcome, detail }) => outcome !== 'passed' && !parts.test(detail)).map(({ check }) => check);
      assert.deepEqual(others.toSorted(), [...pairing, readings, ownCommands].toSorted());
    });

  it('fails a robot that acks everything and draws nothing, at the sentence on the screen', async () => {
    const report = await reports.yes;
    const sentence = 'the picture follows as binary parts; acked once it is on the screen';
    assertFailed(report, 'acks a picture once it is on the screen', sentence, /before its last part/);
    assertFailed(
      report,
      'names what it shows after a reconnect',
      'What was acked stays on the screen and is named in `showing`.',
      /showing.card is null/,
    );
  });

  it('fails a robot that loses credit, at the sentence on credit', async () => {
    const sentence = '`received + free` never goes down, and what has been played is free again.';
    assertFailed(await reports.lossy, 'gives credit back', sentence, /takes back credit/);
  });

  it('fails a robot that takes a repeated id for a new command, at the sentence on repeats alone', async () => {
    const report = await reports.forgetful;
    const check = 'answers a repeat with the same ack';
    assertFailed(report, check, 'The robot remembers the last 32 ids and answers a repeat with the same ack.', /that of the repeat/);
    assert.deepEqual(named(report, 'failed'), [check]);
  });

  it('fails a robot that answers with each id twice, at the sentence on acks alone', async () => {
    const report = await reports.twice;
    const { check, sentence } = checks.find((each) => each.check === 'answers each command once')!;
    assertFailed(report, check, sentence, /more than once/);
    assert.deepEqual(named(report, 'failed'), [check]);
  });
});
