import { parseArgs } from 'node:util';

export const planNames = ['all', 'same-version', 'last-release', 'upgrade'] as const;
export type PlanName = (typeof planNames)[number];

export interface RollingArguments {
  plan: PlanName;
  robots: number;
  calls: number;
  /** A release that deploy/releases.json names; null: the newest. */
  from: string | null;
  /** A built source tree; null: it is checked out and built. */
  lastRelease: string | null;
  seed: string | null;
  /** The time that robots are away is only told. */
  busy: boolean;
  /** Some robots are the robot program in MicroPython, of both versions. */
  micropython: boolean;
  json: string | null;
  verbose: boolean;
  help: boolean;
}

const robotsDefault = 40;
const robotsMin = 8;
const callsDefault = 500;

export const helpText = `npm run rolling -- [options]

Replaces every instance of Perch behind HAProxy (retries 0) while programs call and robots are connected, and checks that no call fails
and nothing is lost, doubled or reordered. Needs haproxy and redis-server.

  --json FILE          write the report as JSON
  --only PLAN          same-version: this version by itself, one phase
                       last-release: the last release to this version and back, gateways first, then robot-links first, four phases
                       upgrade: the last release to this version, one phase
                       default: the first two
  --robot micropython  four of the robots are the robot program in MicroPython, two with that of each version of a phase
  --robots N           connected robots; default ${robotsDefault}, at least ${robotsMin}
  --calls N            least number of calls in a phase; default ${callsDefault}
  --from VERSION       an earlier release of deploy/releases.json in place of the last one
  --last-release DIR   built source tree of the last release; default: the newest of deploy/releases.json, built in .perch/releases
  --seed S             seed of the programs' and people's choices; default: drawn
  --busy               the machine does other work: how long robots are away is told, and breaks nothing
  --verbose            also print what the services log
  --help               print this

Exit code: 0 if everything held, 1 if a guarantee was broken, 2 if it could not run, 130 if a signal ended it.
`;

export function rollingArguments(args: readonly string[]): RollingArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      only: { type: 'string' },
      robot: { type: 'string' },
      robots: { type: 'string' },
      calls: { type: 'string' },
      from: { type: 'string' },
      'last-release': { type: 'string' },
      seed: { type: 'string' },
      busy: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const plan = planNames.find((name) => name === (values.only ?? 'all'));
  if (plan === undefined) throw new Error(`--only ${values.only}: must be one of ${planNames.join(', ')}`);
  if (values.robot !== undefined && values.robot !== 'micropython') throw new Error(`--robot ${values.robot}: must be micropython`);
  if (values.json === '') throw new Error('--json: needs the name of a file');
  return {
    plan,
    robots: whole('--robots', values.robots, robotsMin, 400) ?? robotsDefault,
    calls: whole('--calls', values.calls, 1, 1_000_000) ?? callsDefault,
    from: values.from ?? null,
    lastRelease: values['last-release'] ?? null,
    seed: values.seed ?? null,
    busy: values.busy,
    micropython: values.robot === 'micropython',
    json: values.json ?? null,
    verbose: values.verbose,
    help: values.help,
  };
}

function whole(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) throw new Error(`${option} ${text}: must be a whole number from ${min} to ${max}`);
  return number;
}
