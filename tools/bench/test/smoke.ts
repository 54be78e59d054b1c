/** Small runs of the bench, which show that it measures and checks, not how fast anything is. */
import assert from 'node:assert/strict';
import { needsRedisServer, skipTest } from '@perch/testkit';
import { goals, type RowName } from '../src/goals.js';
import type { Row } from '../src/figures.js';
import { plans } from '../src/plan.js';
import type { Report } from '../src/report/report.js';
import { runBench, type GroupName } from '../src/run.js';

export function onSmallRuns(title: string, tests: () => void): void {
  describe(title, function () {
    this.timeout(180_000);

    before(function () {
      if (process.platform !== 'linux') skipTest(this, 'the bench reads /proc');
      needsRedisServer(this);
    });

    tests();
  });
}

/** Fails if an answer or a command was wrong. @param base another build */
export async function smallRun(groups: GroupName[], base: string | null = null): Promise<Report> {
  const report = await runBench({ plan: plans.smoke, env: process.env, log: () => {}, base }, groups);
  assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
  return report;
}

export function rowsOf(title: string, { rows }: Report): Row[] {
  const names = new Set<RowName>(goals.filter((goal) => goal.title.startsWith(title)).flatMap(({ rows }) => rows.map(({ name }) => name)));
  return rows.filter(({ name }) => names.has(name));
}

export function figureOf({ rows }: Report, name: RowName): number | null {
  return rows.find((row) => row.name === name)!.figure;
}
