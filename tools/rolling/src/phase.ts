/** One phase: load, the replacement of every instance under it, quiet; then the history is checked. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  check,
  TestRobots,
  finalLogs,
  History,
  RoundWebhooks,
  Marks,
  Track,
  type Call,
  type Harm,
  type Random,
  type Stalls,
  type CpuSteal,
} from '@perch/chaos';
import type { Micropython } from '@perch/micropython-robot';
import type { Store } from '@perch/store';
import type { Fleet } from './fleet/fleet.js';
import { awayTimes, failedCalls, failureOf, isExcused, isEven, p99, streamProblems } from './findings.js';
import { Programs } from './load/programs.js';
import { newTenants, type Role, type RobotWithRole, type Tenant } from './load/roles.js';
import type { Phase } from './plan.js';
import type { PhaseReport } from './report.js';
import type { SlowStorage } from './slow-storage.js';

export interface PhaseOptions {
  phase: Phase;
  fleet: Fleet;
  store: Store;
  robots: number;
  calls: number;
  waits: WaitPace;
  micropython: Micropython | null;
  random: Random;
  stalls: Stalls;
  cpuSteal: CpuSteal;
  slowStorage: SlowStorage;
  progress: (line: string) => void;
}

export interface WaitPace {
  timeoutsS: readonly number[];
  thinkMs: readonly [number, number];
}

const calmMs = 3000;
const evenWithinMs = 180_000;
const settlesWithinMs = 20_000;
const arrivesWithinMs = 30_000;

const idleMs = [1500, 5000] as const;
/** As specified in docs/robot-link.md. */
const reconnect = { minMs: 1000, maxMs: 60_000 };

const balancerPlace = 'haproxy';

export async function runPhase(options: PhaseOptions): Promise<PhaseReport> {
  const { phase, fleet, store, robots, random, stalls, cpuSteal, slowStorage, progress } = options;
  const startedAt = performance.now();
  const history = new History();
  const marks = new Marks();
  const problems: string[] = [];
  const senders = new Track(performance.now());
  const tenants = await newTenants(store, robots);
  const actors = { tenants: tenants.map((tenant) => ({ account: tenant.account, robots: tenant.robots.map(({ id }) => id) })) };
  const webhooks = await RoundWebhooks.open({ store, actors, history, random: random.fork('receiver'), withinMs: settlesWithinMs });
  const testRobots = await TestRobots.start({
    robots: robotsOf(options, tenants),
    links: [fleet.balancer.robots],
    placeOf: () => balancerPlace,
    history,
    random: random.fork('crew'),
    marks,
    pace: { idleMs, thinkMs: options.waits.thinkMs },
    reconnect,
  });
  let sessions: number[];
  let evenAfterMs: number;
  let programs: Programs;
  let replaced: { from: number; to: number };
  try {
    const address = { place: balancerPlace, url: fleet.balancer.programs };
    programs = await Programs.start({ tenants, testRobots, address, history, random, marks, waitTimeoutsS: options.waits.timeoutsS });
    if (options.micropython !== null) progress(`robot programs in MicroPython: ${(await firmwareOf(store, testRobots)).join(', ')}`);
    await sleep(calmMs);
    const from = performance.now();
    await replaceAll(options, senders, problems);
    const lastReplacedAt = performance.now();
    await sleep(calmMs);
    ({ sessions, evenAfterMs } = await evenOut(fleet, lastReplacedAt));
    progress(`robots per robot-link: ${sessions.join(', ')}`);
    while (history.calls.length < options.calls) await sleep(100);
    await programs.stop();
    const settled = (what: Promise<void>): Promise<void> => what.catch((error: unknown) => void problems.push(messageOf(error)));
    await settled(testRobots.online(settlesWithinMs));
    replaced = { from, to: performance.now() };
    await settled(testRobots.settle(settlesWithinMs));
    problems.push(...(await programs.finish((robot) => finalLogs(history).get(robot)?.events.at(-1)?.seq ?? 0)));
    await webhooks.arrived(null, arrivesWithinMs);
  } finally {
    await testRobots.stop();
    await webhooks.close();
  }
  const well = { running: new Track(0), reachable: new Track(0), served: new Track(0) };
  const violations = check({
    history,
    gateways: new Map([[balancerPlace, { ...well, served: slowStorage.served }]]),
    links: new Map([[balancerPlace, well]]),
    senders: new Map([['webhooks', { ...well, running: senders }]]),
    loss: null,
    renumbered: false,
    anyTouchAnswers: [phase.from, phase.to].some(({ version }) => version.startsWith('0.10.')),
    stallMs: (from, to) => stalls.most(from, to),
    waitedMs: (from, to) => Math.max(stalls.total(from, to), cpuSteal.during(from, to), slowStorage.total(from, to)),
    // All calls go through one balancer: which instances a call passed is not known.
    queuedMs: (_place, from, to) => fleet.queuedMs(from, to),
  });
  const logs = finalLogs(history);
  const streams = programs.streams.flatMap(({ robot, seqs }) =>
    streamProblems(
      robot,
      seqs,
      (logs.get(robot)?.events ?? []).map(({ seq }) => seq),
    ),
  );
  const cut = programs.streams.reduce((sum, { broken }) => sum + broken, 0);
  if (cut > 0) problems.push(`${cut} event streams broke off without their end`);
  problems.push(...fleet.trouble.splice(0));
  if (!isEven(sessions)) problems.push(`robots per robot-link: ${sessions.join(', ')} after ${Math.round(evenAfterMs / 1000)} s`);
  const harmed = (harm: Harm): number => [...violations, ...streams].filter((each) => each.harm === harm).length;
  const unanswered = failedCalls(history);
  const excused = unanswered.filter((call) => isExcused(call, slowStorage.served));
  const failed = unanswered.filter((call) => !excused.includes(call));
  const away = awayTimes(history, replaced.from, replaced.to).map(({ ms }) => ms);
  const waits = history.calls.filter(({ asked }) => asked.kind === 'wait');
  return {
    from: phase.from.version,
    to: phase.to.version,
    order: phase.order,
    manner: phase.manner,
    calls: history.calls.length,
    failed: failed.length,
    failures: countBy(failed.map(failureOf)),
    excused: excused.length,
    lost: harmed('lost'),
    doubled: harmed('doubled'),
    out_of_order: harmed('out of order'),
    waits: waits.length,
    waits_broken: failed.filter((call) => waits.includes(call)).length,
    sounds: programs.sounds.played,
    sounds_broken: programs.sounds.broken.length,
    moves: away.length,
    away_p99_ms: Math.round(p99(away)),
    away_max_ms: Math.round(Math.max(0, ...away)),
    sessions,
    even_after_s: Math.round(evenAfterMs / 1000),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    violations: [
      ...failed.map((call) => callLine(call, startedAt)),
      ...violations.map(({ guarantee, what }) => `${guarantee}: ${what}`),
      ...streams.map(({ what }) => what),
      ...programs.sounds.broken,
      ...problems,
    ],
  };
}

/** The robot programs that a run with `--robot micropython` has: in each account one that is asked and one that shows pictures, of one version. */
const programRoles: readonly Role[] = ['asked', 'cards'];

function robotsOf(
  { phase, micropython }: PhaseOptions,
  tenants: readonly Tenant[],
): (RobotWithRole & { micropython?: Micropython; program?: string })[] {
  return tenants.flatMap(({ robots }, at) => {
    if (micropython === null) return robots;
    const { root } = at === 0 ? phase.from : phase.to;
    const ids = programRoles.map((wanted) => robots.find(({ role }) => role === wanted)?.id);
    return robots.map((robot) => (ids.includes(robot.id) ? { ...robot, micropython, program: join(root, 'robots/micropython/main.py') } : robot));
  });
}

/** Returns what the robot programs have named in their hello. */
async function firmwareOf(store: Store, { all }: TestRobots): Promise<string[]> {
  const programs = all.filter(({ isMicropython }) => isMicropython);
  const records = await Promise.all(programs.map(({ id }) => store.robots.get(id)));
  return records.map((record) => record?.firmware ?? 'none');
}

function callLine(call: Call, startedAt: number): string {
  const seconds = ((call.at - startedAt) / 1000).toFixed(1);
  const took = call.endedAt === null ? '' : ` after ${((call.endedAt - call.at) / 1000).toFixed(1)} s`;
  return `${call.action} of ${call.robot || call.account} at ${seconds} s failed${took}: ${failureOf(call)}`;
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** While a webhook sender ends, its messages may be redelivered. */
async function replaceAll({ phase, fleet, progress }: PhaseOptions, senders: Track, problems: string[]): Promise<void> {
  for (const service of phase.order) {
    const recover = service === 'webhooks' ? senders.impair() : () => undefined;
    for (const slot of fleet.of(service)) {
      const from = performance.now();
      const before = slot.version;
      await slot.replace(phase.to, phase.manner, fleet.balancer);
      progress(`${slot.name}: ${before} replaced by ${slot.version} in ${((performance.now() - from) / 1000).toFixed(1)} s`);
    }
    recover();
    problems.push(...fleet.trouble.splice(0));
  }
}

async function evenOut(fleet: Fleet, since: number): Promise<{ sessions: number[]; evenAfterMs: number }> {
  for (;;) {
    const sessions = await fleet.sessions();
    const evenAfterMs = performance.now() - since;
    if (isEven(sessions) || evenAfterMs > evenWithinMs) return { sessions, evenAfterMs };
    await sleep(1000);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
