/**
 * Runs the robot program in MicroPython for hours of its time, over TLS, with the head of a StackChan and the clock of a chip whose TLS adds 30 years to it:
 * with taps, pictures, sounds, questions and movements, while its link is dropped, its robot-link is replaced, a portal answers in place of the service, the
 * bus of its servos hangs and its clock goes wrong. Says whether its memory stays, whether each tap became one event, whether questions were answered,
 * whether the head came back each time, whether the clock was set right, and whether it asked to be paired. After a build:
 *
 *     node --import tsx --conditions=source test-e2e/programs/hours/run.ts [HOURS] [SPEED]
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ServiceProcess } from '@perch/launcher';
import { MicropythonRobot } from '@perch/micropython-robot';
import { provideMicropython, TcpBalancer, testCertificates, until, type BalancedServer } from '@perch/testkit';
import { photograph } from '../../fixture/media/pictures.js';
import { certificateSeen, openTlsFront } from '../../fixture/robots/chip-tls.js';
import { SystemUnderTest } from '../../fixture/system/system-under-test.js';

/** How long any question is on the screen before a touch counts, ms. */
const countsAfterMs = 1000;
/** The robot takes a question away after as much of its own time: it must be there for longer than `countsAfterMs`. */
const questionS = 55;

const hours = Number(process.argv[2] ?? 2);
const speed = Number(process.argv[3] ?? 20);
const runMs = (hours * 3_600_000) / speed;
/** Real times, ms. */
const every = { tap: 200, action: 700, drop: 17_000, replace: 60_000, portal: 45_000, heap: 10_000, clock: 35_000 };
/** Robot times at which the bus hangs, s: after the third time in an hour the head comes back an hour later. */
const hangs: (readonly [number, string])[] = [
  [400, 'all'],
  [1300, 'reads'],
  [2300, 'replies'],
  [3300, 'all'],
];
/** UIFlow2's TLS adds it to the chip's clock, s. */
const shiftS = 946_684_800;
/** Faults of the clock: set by a firmware, moved by a time zone, begun anew in 2000, a day late. */
const wrongClocks: ((nowS: number) => number)[] = [(nowS) => nowS, (nowS) => nowS + 32_400, () => shiftS + 60, (nowS) => nowS - 86_400];
/** How long a portal answers, ms: less than ten minutes of the robot's time, after which it shows a code. */
const portalMs = 3000;
/** The share of the run in which memory still settles. */
const settling = 0.1;
/** Taps at this row answer questions. */
const answerY = 170;

const micropython = await provideMicropython();
if (typeof micropython === 'string') throw new Error(micropython);
const system = await SystemUnderTest.open({ gateways: 1, links: 2, renderers: 1 });
const serverOf = ({ address, admin }: ServiceProcess): BalancedServer => {
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port), readyz: `${admin}/readyz` };
};
/** A hotel's or a proxy's, with one answer after the other. */
const portal = createServer((_request, response) => response.writeHead([200, 302, 401][counts.portals % 3]!).end('Log in to the network'));
portal.on('upgrade', (_request, socket) => {
  const status = [200, 302, 401][counts.portals % 3]!;
  socket.on('error', () => undefined).end(`HTTP/1.1 ${status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
});
await once(portal.listen(0, '127.0.0.1'), 'listening');
let isBehindPortal = false;
const portalServer: BalancedServer = { host: '127.0.0.1', port: (portal.address() as AddressInfo).port };
const balancer = await TcpBalancer.open({ servers: () => (isBehindPortal ? [portalServer] : system.cluster.links.map(serverOf)), checkEveryMs: 400 });
const certificates = testCertificates();
let chipAheadS = 0;
const nowS = (): number => Math.round(Date.now() / 1000);
const tls = await openTlsFront({ host: '127.0.0.1', port: balancer.port }, () => certificateSeen(certificates, chipAheadS + shiftS));
const ended = new AbortController();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const counts = {
  ...{ taps: 0, actions: 0, refused: 0, answered: 0, drops: 0, replaced: 0, portals: 0, portalAnswers: 0, codes: 0, sessions: 0 },
  ...{ hangs: 0, clocks: 0, clocksSet: 0 },
};
/** Report of the board about its head. */
interface Body {
  cyclesMs: number[];
  fastest: number;
  pushedMs: number;
  features: string[];
}
let body: Body | null = null;
const complaints: string[] = [];
/** Refused actions, by action and code. */
const refusals: Record<string, number> = {};
const heap: { ms: number; freeKb: number }[] = [];

try {
  const tenant = await system.tenant();
  const { robot: id, token } = await system.store.robots.create({ account: tenant.account });
  const robot = new MicropythonRobot({
    micropython,
    token,
    url: `wss://127.0.0.1:${tls.port}/robot/v1/link`,
    ca: readFileSync(certificates.ca, 'utf8'),
    log: (line) => {
      const event = JSON.parse(line) as { e: string; what: string } & Body;
      if (event.e === 'body') body = event;
      if (event.e === 'complaint') complaints.push(event.what);
    },
    // The faked servos, and TLS, whose buffers a chip has elsewhere.
    besideKb: 176,
    program: fileURLToPath(new URL('fast_main.py', import.meta.url)),
    settings: { speed },
  });
  system.keep(robot);
  robot.on('session', () => (counts.sessions += 1));
  robot.on('code', () => (counts.codes += 1));
  robot.on('clock', ({ s }) => {
    chipAheadS = s - nowS();
    counts.clocksSet += 1;
  });
  robot.on('closed', ({ status }) => {
    if (isBehindPortal && status !== null) counts.portalAnswers += 1;
  });
  robot.on('heap', ({ freeKb }) => {
    const ms = performance.now() - began;
    if (ms > settling * runMs) heap.push({ ms, freeKb });
    process.stderr.write(`${Math.round(ms / 1000)} s: ${freeKb} KB free, ${JSON.stringify(counts)}\n`);
  });
  /** Changes the chip, and asks the board to tell of itself. */
  const chip = (fault: object): void => void ((robot.faults.settings as { chip?: object }).chip = fault);
  const began = performance.now();
  await robot.start();
  const api = tenant.api();

  async function repeatedly(ms: number, step: () => Promise<void> | void): Promise<void> {
    while (!ended.signal.aborted) {
      await pause(ms);
      if (!ended.signal.aborted) await step();
    }
  }

  function tap(): void {
    const n = counts.taps;
    counts.taps += 1;
    const place = { x: n % 320, y: Math.floor(n / 320) };
    robot.input('touch_down', place);
    robot.input('touch_up', { ...place, held_ms: 90 });
  }

  async function act(action: string, args: object): Promise<{ status: number; body: { outcome?: string; code?: string } }> {
    counts.actions += 1;
    const answer = await api.act(id, action, args);
    if (answer.status !== 200) {
      counts.refused += 1;
      const why = `${action} ${answer.body.code ?? answer.status}`;
      refusals[why] = (refusals[why] ?? 0) + 1;
    }
    return answer;
  }

  async function ask(): Promise<void> {
    const answer = act('ask', { question: 'Go on?', answers: ['Yes', 'No'], timeout_s: questionS });
    let shown: { id: string | null; at: number } = { id: null, at: 0 };
    while ((await Promise.race([answer, pause(150)])) === undefined) {
      const id = robot.screen.question?.id ?? null;
      if (id !== shown.id) shown = { id, at: performance.now() };
      if (id === null || performance.now() - shown.at < countsAfterMs) continue;
      robot.input('touch_down', { x: 60, y: answerY });
      robot.input('touch_up', { x: 60, y: answerY, held_ms: 90 });
    }
    if ((await answer).body.outcome === 'answered') counts.answered += 1;
  }

  let turn = 0;
  const actions: (() => Promise<unknown>)[] = [
    () => act('show', { image: photograph(320, 240) }),
    () => act('move', { yaw: (turn % 7) * 10 - 30 }),
    () => act('show', { clear: true }),
    () => act('say', { text: 'All is well, and it goes on and on', seconds: 2 }),
    () => act('leds', { effect: 'rainbow', seconds: 1 }),
    () => act('sound', { notes: 'C4:600 E4:600' }),
    () => act('face', { emotion: ['happy', 'sad', 'neutral'][turn % 3] }),
    () => ask(),
  ];
  let asking = false;

  async function replace(): Promise<void> {
    const old = system.cluster.links[0]!;
    await system.cluster.add('robot-link');
    await balancer.check();
    await old.stop(30_000);
    const list = system.cluster.links as ServiceProcess[];
    list.splice(list.indexOf(old), 1);
    counts.replaced += 1;
  }

  async function enterPortal(): Promise<void> {
    isBehindPortal = true;
    counts.portals += 1;
    robot.faults.dropConnection();
    await pause(portalMs);
    isBehindPortal = false;
    await balancer.check();
  }

  async function hang(): Promise<void> {
    for (const [robotS, how] of hangs) {
      await pause(Math.max(0, (robotS * 1000) / speed - (performance.now() - began)));
      if (ended.signal.aborted) return;
      chip({ hang: how });
      counts.hangs += 1;
    }
  }

  /** Each with the next dial. */
  function misplaceClock(): void {
    const clockS = wrongClocks[counts.clocks % wrongClocks.length]!(nowS());
    counts.clocks += 1;
    chip({ clock_s: clockS });
    robot.faults.dropConnection();
  }

  const seen: string[] = [];
  let after = 0;
  async function readEvents(): Promise<number> {
    const { status, body } = await api.get(`/v1/robots/${id}/events?names=tap&after=${after}`);
    if (status !== 200) return 0;
    const events = (body as { events: { data: { x: number; y: number } }[] }).events;
    after = (body as { last_seq: number }).last_seq;
    for (const { data } of events) if (data.y !== answerY) seen.push(`${data.x} ${data.y}`);
    return events.length;
  }
  await readEvents();

  setTimeout(() => ended.abort(), runMs);
  await Promise.all([
    repeatedly(every.tap, () => {
      if (!asking) tap();
    }),
    repeatedly(every.action, async () => {
      turn += 1;
      const index = turn % actions.length;
      asking = index === actions.length - 1;
      await actions[index]!();
      asking = false;
    }),
    repeatedly(every.drop, () => {
      robot.faults.dropConnection();
      counts.drops += 1;
    }),
    repeatedly(every.replace, replace),
    repeatedly(every.portal, enterPortal),
    repeatedly(every.clock, misplaceClock),
    hang(),
    repeatedly(every.heap, () => robot.askHeap()),
    repeatedly(1000, async () => void (await readEvents())),
  ]);
  await until(() => robot.online && robot.inputs.unacked.length === 0, { what: 'all inputs to be safe' });
  await until(() => (chip({}), body!.features.includes('head')), { what: 'the head' });
  await until(async () => (await readEvents()) === 0, { what: 'all events' });
  const longest = new Promise<number>((resolve) => robot.on('longest', ({ ms }) => resolve(ms)));
  robot.askLongestTurn();

  const missing = counts.taps - new Set(seen).size;
  const doubled = seen.length - new Set(seen).size;
  const half = heap.length >> 1;
  const least = (part: typeof heap): number => Math.min(...part.map(({ freeKb }) => freeKb));
  const report = {
    robotHours: (performance.now() - began) * (speed / 3_600_000),
    ...counts,
    refusals,
    tapsMissing: missing,
    tapsDoubled: doubled,
    freeKbFirstHalf: least(heap.slice(0, half)),
    freeKbSecondHalf: least(heap.slice(half)),
    longestTurnMs: await longest,
    body,
    complaints,
    clockWrongS: chipAheadS + shiftS,
    violations: robot.violations,
    errors: system.errors,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const lost = report.freeKbFirstHalf - report.freeKbSecondHalf;
  const isWhole = missing === 0 && doubled === 0 && lost < 8 && robot.violations.length === 0;
  // The first time is the start.
  const isHeadSafe = body!.cyclesMs.length === hangs.length + 1 && body!.pushedMs === 0 && complaints.length === 0;
  const isClockRight = Math.abs(chipAheadS + shiftS) < 5 && counts.clocksSet > counts.clocks;
  process.exitCode = isWhole && isHeadSafe && isClockRight && counts.codes === 0 && counts.answered > 0 && counts.portalAnswers > 0 ? 0 : 1;
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
} finally {
  ended.abort();
  await system.clear();
  await balancer.close();
  portal.close();
  await tls.stop();
  certificates.remove();
  await system.close();
}
process.exit();
