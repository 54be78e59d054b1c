import { parseArgs } from 'node:util';
import type { Target } from './targets/target.js';

export interface FuzzArguments {
  requests: number;
  held: number;
  seed: number;
  json: string | null;
  micropython: boolean;
  only: readonly Target['group'][];
  help: boolean;
}

const groups = ['http', 'mcp', 'webhooks', 'console', 'link', 'flood', 'slow'] as const satisfies readonly Target['group'][];

export const help = `npm run fuzz -- [options]

  --requests N     malformed and boundary requests over all targets; default 50000
  --slow N         slow and half-sent requests at once; default 1000
  --seed S         repeat the requests of this seed; default: a new one, named in the report
  --only GROUPS    comma-separated groups of targets: ${groups.join(', ')}
  --robot micropython  run the robot program in MicroPython as one of the robots
  --json FILE      write the report as JSON
  --help           show this help
`;

export function fuzzArguments(args: readonly string[]): FuzzArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '50000' },
      slow: { type: 'string', default: '1000' },
      seed: { type: 'string' },
      only: { type: 'string', default: groups.join(',') },
      robot: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only.split(',').map((name) => name.trim());
  const unknown = only.find((name) => !(groups as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: unknown group; use ${groups.join(', ')}`);
  if (values.robot !== undefined && values.robot !== 'micropython') throw new Error(`--robot ${values.robot}: must be micropython`);
  return {
    requests: whole('--requests', values.requests, 1_000_000),
    held: whole('--slow', values.slow, 8000),
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : whole('--seed', values.seed, 2 ** 31 - 1),
    json: values.json ?? null,
    micropython: values.robot === 'micropython',
    only: only as Target['group'][],
    help: values.help,
  };
}

function whole(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) throw new Error(`${option} ${text}: must be a whole number, at most ${max}`);
  return value;
}
