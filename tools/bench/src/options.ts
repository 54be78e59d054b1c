import { parseArgs } from 'node:util';
import type { Plan } from './plan.js';
import { groups, type GroupName } from './run.js';

export interface BenchArguments {
  plan: Extract<Plan['name'], 'full' | 'quick'>;
  json: string | null;
  /** Null: no plots and flame graphs are drawn, since a quick or partial run is not published. */
  plots: string | null;
  only: GroupName[];
  base: string | null;
  help: boolean;
}

export const help = `npm run bench -- [options]

  --quick          fewer rounds and robots: up to 8 minutes instead of an hour
  --json FILE      write the report as JSON
  --plots DIR      write plots and flame graphs as SVG, the table and the report; default: docs/bench for a full run, else none
  --only GROUPS    comma-separated groups of rows: ${Object.keys(groups).join(', ')}
  --base DIR       another built source tree of Perch, for comparison in traces and drawing
  --help           show this help
`;

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
  if (unknown !== undefined) throw new Error(`--only ${unknown}: unknown group; use ${names.join(', ')}`);
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
