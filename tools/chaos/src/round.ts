/** One round: traffic, a fault in the middle of it, its healing, quiet; then the history is checked against the guarantees. */
import { oldVersion } from './faults/operation/old-version.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalRedis } from '@perch/local-redis';
import type { Micropython } from '@perch/micropython-robot';
import type { Store } from '@perch/store';
import { until } from '@perch/testkit';
import { createActors, type Actors } from './actors.js';
import { groupBy, type Evidence, type Violation } from './checker/evidence.js';
import { check } from './checker/guarantees.js';
import { finalLogs } from './checker/reads.js';
import { excerpt } from './history/excerpt.js';
import { History } from './history/history.js';
import { Marks } from './history/marks.js';
import { Traffic } from './programs/traffic.js';
import type { Random } from './random.js';
import { outcomesOf, type ReportedViolation, type RoundReport } from './report.js';
import { RoundWebhooks } from './receiver/round-webhooks.js';
import { TestRobots } from './robots/test-robots.js';
import { Revocations } from './revocations.js';
import type { RoundPlan } from './schedule.js';
import type { Injected } from './faults/fault.js';
import type { Stalls } from './machine/stalls.js';
import type { CpuSteal } from './machine/cpu-steal.js';
import { RunQueue } from './machine/run-queue.js';
import { Steps } from './steps.js';
import type { System } from './system/system.js';

export interface RoundOptions {
  system: System;
  store: Store;
  plan: RoundPlan;
  seed: string;
  random: Random;
  stalls: Stalls;
  cpuSteal: CpuSteal;
  crashes: string[];
  /** A fault of the machine affects them, too. */
  neighbours: () => readonly System[];
  /** On abort the fault is healed at once, and the round completes. */
  stopping: AbortSignal;
  recordsBaseline?: boolean;
  /** One robot is the robot program in it. */
  micropython?: Micropython | null;
}

const calmMs = { before: [500, 1000], after: [300, 700] } as const;
/** After the fault is healed. (Real robots wait up to 60 s between dials; these do not.) */
const backWithinMs = 15_000;
const quietWithinMs = 10_000;
/** Removing a question takes 30 s, waiting for its ack 1 s more. */
const neverAckedMs = 35_000;
/** The lock of a sender that died has to expire and be noticed. */
const arrivesWithinMs = 25_000;

/** The programs, the robots and the proxies. */
const thisProcess = { place: 'chaos', pid: process.pid };

const excerptsMax = 5;
const beforeMs = 1500;

interface Finding {
  guarantee: string;
  what: string;
  at: number;
}

const recovers = 'all is well again after a fault';
const leaksNothing = 'nothing leaks';
const staysUp = 'no process ends by itself';
const loadsAll = 'a restarted Redis has every transaction of its files';

export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const { plan, system, stalls, cpuSteal, crashes } = options;
  const startedAt = performance.now();
  const history = new History();
  const findings: Finding[] = [];
  const steps = new Steps();
  const runQueue = new RunQueue(() => [...system.instances, thisProcess]);
  const state: RoundState = { ...options, history, findings, steps, injected: [], loss: null };
  let failure: string | null = null;
  let renumbered = false;
  try {
    const runIdsBefore = await runIds(system);
    await playWithActors(state);
    renumbered = (await runIds(system)) !== runIdsBefore || state.injected.some(({ tookOver }) => tookOver);
    const lost = await options.store.lostWrites.check();
    if (lost > 0) addFinding(findings, loadsAll, `${lost} masters dropped transactions while they loaded their append-only file`);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  } finally {
    runQueue.stop();
  }
  steps.begin('check');
  for (const crash of crashes.splice(0)) addFinding(findings, staysUp, crash);
  const evidence: Evidence = {
    history,
    gateways: new Map(system.gateways.map((gateway) => [gateway.place, gateway])),
    links: new Map(system.links.map((link) => [link.place, link])),
    senders: new Map(system.senders.map((sender) => [sender.place, sender])),
    loss: state.loss,
    renumbered,
    anyTouchAnswers: plan.faults.some(({ kind }) => kind === oldVersion.kind),
    stallMs: (from, to) => stalls.most(from, to),
    waitedMs: (from, to) => Math.max(stalls.total(from, to), cpuSteal.during(from, to), runQueue.waitedMs(thisProcess.place, from, to)),
    queuedMs: (place, from, to) => runQueue.waitedMs(place, from, to),
  };
  const kinds = plan.faults.map(({ kind }) => kind);
  const violations = [
    ...findings.map(({ guarantee, what, at }) => ({ guarantee, what, robot: null, from: at - beforeMs, to: at })),
    // An incomplete history proves nothing.
    ...(failure === null ? check(evidence) : []),
  ];
  steps.begin(null);
  return {
    round: plan.round,
    redis: plan.redis,
    faults: kinds,
    injected: state.injected.map(({ what }) => what),
    calls: history.calls.length,
    outcomes: outcomesOf(history.calls),
    commands: history.commands.length,
    events: [...finalLogs(history).values()].reduce((sum, { events }) => sum + events.length, 0),
    messages: history.messages.length,
    ms: Math.round(performance.now() - startedAt),
    steps: steps.ms,
    violations: withExcerpts(violations, history, stalls, startedAt, { round: plan.round, seed: options.seed, fault: kinds.join('+') }),
    failure,
  };
}

function withExcerpts(
  violations: readonly Violation[],
  history: History,
  stalls: Stalls,
  startedAt: number,
  about: Pick<ReportedViolation, 'round' | 'seed' | 'fault'>,
): ReportedViolation[] {
  return [...groupBy(violations, ({ guarantee }) => guarantee).values()].flatMap((group) =>
    group.map(({ guarantee, what, ...where }, i) => ({
      ...about,
      guarantee,
      what,
      excerpt: i < excerptsMax ? excerpt(history, where, startedAt, stalls.during(where.from, where.to)) : [],
    })),
  );
}

interface RoundState extends RoundOptions {
  history: History;
  findings: Finding[];
  steps: Steps;
  injected: Injected[];
  loss: Evidence['loss'];
}

async function playWithActors(state: RoundState): Promise<void> {
  const { store, history, random, steps } = state;
  steps.begin('robots come');
  const marks = new Marks();
  // The store's own connections to Redis may still be reconnecting.
  const actors = await until(() => createActors(store), { timeoutMs: backWithinMs, everyMs: 100, what: 'accounts for the round' });
  const webhooks = await RoundWebhooks.open({ store, actors, history, random: random.fork('receiver'), withinMs: backWithinMs });
  try {
    await runSteps(state, actors, marks, webhooks);
  } finally {
    await webhooks.close();
  }
}

async function runSteps(state: RoundState, actors: Actors, marks: Marks, webhooks: RoundWebhooks): Promise<void> {
  const { system, history, random, findings, steps, stopping } = state;
  const placeOf = (url: string): string => system.links.find((link) => link.url === url)?.place ?? url;
  const robots = await TestRobots.start({
    robots: actors.robots,
    links: system.links.map(({ url }) => url),
    placeOf,
    history,
    random: random.fork('crew'),
    marks,
    micropython: state.micropython ?? null,
  });
  try {
    const traffic = new Traffic({ tenants: actors.tenants, gateways: system.gateways, history, random: random.fork('traffic'), marks });
    try {
      steps.begin('calm');
      await pause(random.between(...calmMs.before), stopping);
      const revocations = new Revocations(state.store, actors.tenants, history);
      await holdFaults(state, robots, revocations);
      steps.begin('services back');
      await expect(findings, recovers, () => system.settled(backWithinMs));
      steps.begin('robots back');
      await expect(findings, recovers, () => robots.online(backWithinMs));
      await expect(findings, recovers, () => revocations.finish(backWithinMs));
      steps.begin('calm');
      await pause(random.between(...calmMs.after), stopping);
    } finally {
      steps.begin('calls end');
      await traffic.stop();
    }
    steps.begin('input safe');
    await expect(findings, recovers, () => robots.settle(quietWithinMs));
    steps.begin('probe');
    for (const what of await traffic.probe(quietWithinMs)) addFinding(findings, recovers, what);
    steps.begin('last reads');
    for (const what of await traffic.finalReads()) addFinding(findings, recovers, `the events could not be read: ${what}`);
    steps.begin('messages arrive');
    await webhooks.arrived(state.loss, arrivesWithinMs);
    steps.begin('questions gone');
    await expect(findings, 'a question without a wait is taken away', () => noQuestions(robots));
    steps.begin('nothing leaks');
    if (state.recordsBaseline === true) return await system.recordBaseline();
    const neverAcked = history.misbehaving.some(({ kind }) => kind === 'never-ack');
    for (const leak of await system.leaks(neverAcked ? neverAckedMs : quietWithinMs))
      addFinding(findings, leaksNothing, `${leak.place}: ${leak.what} is ${leak.now}, at most ${leak.allowed}`);
  } finally {
    steps.begin('robots go');
    await robots.stop();
  }
}

/** One after the other; they are held and healed together. */
async function holdFaults(state: RoundState, robots: TestRobots, revocations: Revocations): Promise<void> {
  const { plan, system, neighbours, store, stopping, random, history, steps } = state;
  try {
    steps.begin('inject');
    for (const fault of plan.faults) {
      const environment = { system, neighbours, robots, store, revokeKeys: () => revocations.revoke() };
      const injected = await fault.inject(environment, random.fork(fault.kind));
      state.injected.push(injected);
      history.note(`fault ${fault.kind}: ${injected.what}`);
    }
    steps.begin('hold');
    // Redis refuses it while it is down; then it is retried after the fault is healed.
    const revoking = revocations.revoke().catch(() => undefined);
    await pause(Math.max(...state.injected.map(({ holdMs }) => holdMs)), stopping);
    await revoking;
  } finally {
    steps.begin('heal');
    // Healing one may need what another took away.
    await Promise.all(state.injected.map((injected) => injected.heal()));
  }
  history.note('healed');
  const losses = state.injected.map((injected) => injected.lostSince()).filter((since) => since !== null);
  if (losses.length > 0) state.loss = { from: Math.min(...losses), to: history.now() };
}

async function noQuestions(robots: TestRobots): Promise<void> {
  const asked = (): string[] =>
    robots.all.filter(({ core }) => core.screen.question !== null).map(({ id, core }) => `${id} ${core.screen.question?.id}`);
  await until(() => asked().length === 0, { timeoutMs: quietWithinMs, everyMs: 20 }).catch(() => {
    throw new Error(`still asked at ${asked().join(', ')}`);
  });
}

function addFinding(findings: Finding[], guarantee: string, what: string): void {
  findings.push({ guarantee, what, at: performance.now() });
}

async function expect(findings: Finding[], guarantee: string, holds: () => Promise<void>): Promise<void> {
  try {
    await holds();
  } catch (error) {
    addFinding(findings, guarantee, error instanceof Error ? error.message : String(error));
  }
}

/** Event numbers may jump when these change. */
async function runIds({ redis }: System): Promise<string> {
  const idOf = async (node: LocalRedis): Promise<string> => {
    const [server, replication] = await Promise.all([node.ask(['INFO', 'server']), node.ask(['INFO', 'replication'])]);
    return replication.includes('role:master') ? (/run_id:(\w+)/.exec(server)?.[1] ?? '') : '';
  };
  const ids = await until(() => Promise.all(redis.nodes.map(idOf)), { timeoutMs: backWithinMs, what: 'the run id of every Redis' });
  return ids.toSorted().join();
}

async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}
