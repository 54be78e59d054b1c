import { Bench, type BenchOptions } from './bench.js';
import { machine } from './operating-system.js';
import type { Report } from './report/report.js';
import { measureManyRobots } from './rows/many-robots.js';
import { measureDrawing } from './rows/drawing.js';
import { measureManyLinks } from './rows/growth.js';
import { measureHttpLayer } from './rows/http-layer.js';
import { measurePictures } from './rows/pictures.js';
import { measurePolls } from './rows/polls.js';
import { measureProfiles } from './rows/profiles.js';
import { measureQuestions } from './rows/questions.js';
import { measureRedisTraffic } from './rows/redis-traffic.js';
import { measureSideBySide } from './rows/side-by-side.js';
import { measureToken } from './rows/token.js';
import { measureTools } from './rows/tools.js';
import { measureTraces } from './rows/traces.js';

export const groups = {
  'side-by-side': measureSideBySide,
  'redis-traffic': measureRedisTraffic,
  'http-layer': measureHttpLayer,
  tools: measureTools,
  token: measureToken,
  traces: measureTraces,
  growth: measureManyLinks,
  crowd: measureManyRobots,
  questions: measureQuestions,
  pictures: measurePictures,
  drawing: measureDrawing,
  polls: measurePolls,
  profiles: measureProfiles,
} as const satisfies Record<string, (bench: Bench) => Promise<void>>;

export type GroupName = keyof typeof groups;

/** @param only groups to measure; rows of others stay unmeasured */
export async function runBench(options: BenchOptions, only: readonly GroupName[] = Object.keys(groups) as GroupName[]): Promise<Report> {
  const startedOn = machine();
  const bench = new Bench(options);
  try {
    for (const name of only) {
      bench.figures.doubt = null;
      try {
        await groups[name](bench);
      } catch (error) {
        // The other groups are still useful.
        bench.fail(`${name} broke off: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
    if (only.includes('side-by-side')) bench.figures.set('wrong answers and commands, all variants', [bench.wrong]);
  } finally {
    await bench.close();
  }
  const { plan, wrong, failures, figures } = bench;
  return { rows: figures.rows(), machine: startedOn, rounds: plan.rounds, plan, wrong, failures, at: new Date().toISOString() };
}
