/**
 * Measures how long scrapes of a robot-link block its event loop: /metrics and /metrics/robots, read by another process.
 *
 *   node --import tsx --conditions=source services/robot-link/test/programs/measure-scrapes.ts [robots] [scrapes]
 *
 * The robots are objects without sockets: the program measures the work of the scrapes, not of the robots. Last result: docs/operate/robot-metrics.md.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminServer, createMetrics, Health } from '@perch/runtime';
import { type Activity, LinkMetrics, type GaugeSources } from '../../src/metrics/link-metrics.js';
import { type RobotReport, robotsPage } from '../../src/metrics/robots-page.js';
import { reportedRobots } from '../metrics/robots.js';

const [robotCount = 5000, scrapes = 20] = process.argv.slice(2).map(Number);

/** A class, since sessions are instances of one: objects created by a spread are several times slower to read. */
class HeldRobot {
  readonly account: string;
  readonly robot: string;
  readonly readings: RobotReport['readings'];
  readonly acks: RobotReport['acks'];
  readonly isOver = false;
  readonly activity: Activity;
  readonly model = 'stackchan-k151';
  readonly firmware: string;
  readonly hasOpenWait: boolean;
  readonly commands: { size: number };

  constructor({ account, robot, readings, acks }: RobotReport, i: number) {
    this.account = account;
    this.robot = robot;
    this.readings = readings;
    this.acks = acks;
    this.activity = (['asking', 'playing', 'moving', 'showing', 'idle'] as const)[i % 5]!;
    // Unique per robot: the maximum work that robots can cause.
    this.firmware = `1.0.${i}`;
    this.hasOpenWait = i % 5 === 0;
    this.commands = { size: i % 3 };
  }
}

const sessions = reportedRobots(robotCount).map((robot, i) => new HeldRobot(robot, i));
const metrics = createMetrics('robot-link');
const registry = { handshakeCount: 0, pendingReleaseCount: 0 };
new LinkMetrics(metrics, () => ({ robots: sessions, registry, subscriber: { size: 1 } }) as unknown as GaugeSources);
const pages = { '/metrics/robots': robotsPage({ robots: () => sessions, enabled: true }) };
const admin = adminServer({ host: '127.0.0.1', port: 0, health: new Health(), metrics, pages });
await admin.start?.(new AbortController().signal);

const resolutionMs = 1;
const held = monitorEventLoopDelay({ resolution: resolutionMs });
held.enable();
await sleep(1000);
print(`idle: at most ${beyondTimer(held.max)} ms`);

// One process for all scrapes: starting one for each would block the event loop for longer than the scrape.
const client = spawn(process.execPath, [
  '-e',
  `require('node:readline').createInterface({ input: process.stdin }).on('line', async (url) => {
    console.log((await (await fetch(url)).arrayBuffer()).byteLength);
  })`,
]);
const answers = createInterface({ input: client.stdout })[Symbol.asyncIterator]();

for (const path of ['/metrics', '/metrics/robots']) {
  for (let i = 0; i < 5; i += 1) await scrape(path);
  await sleep(100);
  held.reset();
  const took: number[] = [];
  let bytes = 0;
  const cpuBefore = process.cpuUsage();
  for (let i = 0; i < scrapes; i += 1) {
    const began = performance.now();
    bytes = await scrape(path);
    took.push(performance.now() - began);
    await sleep(20);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const median = took.toSorted((a, b) => a - b)[Math.floor(scrapes / 2)]!;
  print(
    `${path} of ${robotCount} robots: ${(bytes / 1e6).toFixed(2)} MB in ${median.toFixed(0)} ms, CPU ${((user + system) / 1000 / scrapes).toFixed(1)} ms; ` +
      `event loop held for at most ${beyondTimer(held.max)} ms, p99 ${beyondTimer(held.percentile(99))} ms`,
  );
}
client.kill();
await admin.stop?.(new AbortController().signal);
process.exit(0);

async function scrape(path: string): Promise<number> {
  client.stdin.write(`${admin.address}${path}\n`);
  return Number((await answers.next()).value);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The histogram contains the whole interval of its timer. */
function beyondTimer(nanoseconds: number): string {
  return Math.max(0, nanoseconds / 1e6 - resolutionMs).toFixed(1);
}
