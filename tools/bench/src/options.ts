/** What `npm run bench` is told. */
import { parseArgs } from 'node:util';
import type { Plan } from './plan.js';
import { groups, type GroupName } from './run.js';

export interface BenchArguments {
  plan: Extract<Plan['name'], 'full' | 'quick'>;
  /** Where the report goes as JSON, or null. */
  json: string | null;
  /** Where plots, flame graphs, table and report go; null: none are drawn, as a quick or partial run is nothing to publish. */
  plots: string | null;
  only: GroupName[];
  /** Folder of an earlier build of Perch to compare with, or null. */
  base: string | null;
  help: boolean;
}

export const help = `npm run bench -- [options]

  --quick          fewer rounds and robots, within 3 minutes; the whole takes up to 30
  --json FILE      the report as JSON
  --plots DIR      where plots and flame graphs go as SVG, with the table and the report; docs/bench for a whole run, else none are drawn
  --only GROUPS    with commas between: ${Object.keys(groups).join(', ')}
  --base DIR       another built source tree of Perch; traces compares this one with it
  --help           this
`;

/** @throws an Error with a sentence for the person */
export function benchArguments(args: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      plots: { type: 'string' },
      only: { type: 'string' },
      base: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const names = Object.keys(groups) as GroupName[];
  const only = values.only?.split(',').map((name) => name.trim()) ?? names;
  const unknown = only.find((name) => !names.includes(name as GroupName));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is no such group; there are ${names.join(', ')}`);
  const whole = !values.quick && values.only === undefined;
  return {
    plan: values.quick ? 'quick' : 'full',
    json: values.json ?? null,
    plots: values.plots ?? (whole ? 'docs/bench' : null),
    only: only as GroupName[],
    base: values.base ?? null,
    help: values.help,
  };
}
