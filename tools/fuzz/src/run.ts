import { setTimeout as pause } from 'node:timers/promises';
import type { Micropython } from '@perch/micropython-robot';
import { brokenFeatures } from './final-checks.js';
import { showFirstUpload } from './first-upload.js';
import { growthProblems } from './growth.js';
import { takeSnapshot, type Snapshot } from './snapshot.js';
import { FuzzSystem } from './fuzz-system.js';
import { Tally, type Violation } from './tally.js';
import { targets } from './targets/index.js';
import { linkRobots } from './targets/link.js';
import type { SlowPlan, Target } from './targets/target.js';

export interface FuzzOptions {
  requests: number;
  slow: SlowPlan;
  seed: number;
  only: readonly Target['group'][];
  env: NodeJS.ProcessEnv;
  /** One of the attacker's robots is the robot program in it. */
  micropython?: Micropython | null;
  log: (line: string) => void;
}

export interface Report {
  seed: number;
  requests: Record<string, number>;
  statuses: Record<string, Record<string, number>>;
  slowest: Tally['slowest'];
  p99: Record<string, number>;
  /** Null: they were not part of the run. */
  slow: Record<string, unknown> | null;
  growth: { warm: Snapshot; after: Snapshot };
  violationCount: number;
  violations: Violation[];
  tookS: number;
}

/** A key allows 30 calls at once and 10 a second; each is used for this many calls of a run. */
const callsPerKey = 20;
const robots = 24;
const warmUpShare = 0.08;
const settleMs = 30_000;
const busyShareMax = 0.02;

export async function runFuzz({ requests, slow: plan, seed, only, env, log, micropython = null }: FuzzOptions): Promise<Report> {
  const startedAt = performance.now();
  const chosen = targets.filter(({ group }) => only.includes(group));
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const partOf = ({ share }: Target): number => (shares === 0 ? 0 : Math.ceil((requests * share) / shares));
  const tally = new Tally();
  const system = await FuzzSystem.open({ env, robots, micropython, keys: Math.ceil(requests / callsPerKey) + 200 });
  try {
    let slow: Record<string, unknown> | null = null;
    const attack = async (target: Target, count: number, ofSeed: number): Promise<void> => {
      const figures = await target.attack({ system, tally, seed: ofSeed, requests: count, slow: plan, log });
      if (target.group === 'slow') slow = figures;
    };
    await showFirstUpload(system);
    for (const target of chosen) if (target.share > 0) await attack(target, Math.ceil(partOf(target) * warmUpShare), seed + 1);
    const warm = await atRest(system, tally, null);
    for (const target of chosen) await attack(target, Math.floor(partOf(target) * (1 - warmUpShare)), seed);
    log('at rest');
    const after = await atRest(system, tally, warm);
    const problems = [...growthProblems(warm, after, robots + linkRobots, tally.keysLeft), ...(await brokenFeatures(system)), ...tooBusy(tally)];
    for (const what of problems) tally.violated({ target: 'service', what, request: '', answer: '', seed, index: -1 });
    return {
      seed,
      requests: tally.requests,
      statuses: tally.statuses,
      slowest: tally.slowest,
      p99: tally.p99(),
      slow,
      growth: { warm, after },
      violationCount: tally.violationCount,
      violations: tally.violations,
      tookS: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await system.close();
  }
}

/** Back to their values, or after `settleMs`. */
async function atRest(system: FuzzSystem, { keysLeft }: Tally, before: Snapshot | null): Promise<Snapshot> {
  const giveUpAt = performance.now() + settleMs;
  // Sent data may still be being discarded.
  await pause(3000);
  for (;;) {
    const snapshot = await takeSnapshot(system);
    const calm =
      growthProblems(before ?? snapshot, { ...snapshot, internalErrors: 0 }, robots + linkRobots, keysLeft).length === 0 &&
      (snapshot.gauges['perch_gateway_held_calls'] ?? 0) === 0;
    if (calm || performance.now() > giveUpAt) return snapshot;
    await pause(1000);
  }
}

function tooBusy(tally: Tally): string[] {
  // The mail server of a fuzzed system is not there.
  const busy = tally.count((how) => how.startsWith('503 ') && how !== '503 mail_failed');
  const done = tally.count((how) => how === '200');
  return busy > (busy + done) * busyShareMax + 5 ? [`${busy} valid calls were refused with 503, ${done} succeeded`] : [];
}
