import { parseArgs } from 'node:util';

export interface ChaosArguments {
  minutes: number;
  /** Null: as many as fit into `minutes`. */
  rounds: number | null;
  systems: number;
  seed: string | null;
  round: number | null;
  only: string[] | null;
  json: string | null;
  micropython: boolean;
  help: boolean;
}

const minutesDefault = 5;
/** A round mostly waits, so that two processors can run two systems. */
const systemsDefault = 2;

export function helpText(kinds: readonly string[]): string {
  return `npm run chaos -- [options]

  --minutes N      duration of the run; default ${minutesDefault}; running rounds complete
  --rounds N       number of rounds, however long they take
  --systems N      number of systems run in parallel; default ${systemsDefault}
  --seed S         repeat the run with this seed; default: drawn and printed
  --round N        run only this round of the seed
  --only KINDS     comma-separated faults: ${kinds.join(', ')}
  --robot micropython  run the robot program in MicroPython as one robot of each round
  --json FILE      write the report as JSON
  --help           show this help

SIGINT and SIGTERM: running rounds complete, and the report covers what ran; a second signal ends at once.
Exit code 1 if a guarantee was violated, 2 if a round could not be run, 130 if a signal ended the run.
`;
}

export function chaosArguments(args: readonly string[], kinds: readonly string[]): ChaosArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      rounds: { type: 'string' },
      systems: { type: 'string' },
      seed: { type: 'string' },
      round: { type: 'string' },
      only: { type: 'string' },
      robot: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',').map((kind) => kind.trim()) ?? null;
  const unknown = only?.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: unknown fault; use ${kinds.join(', ')}`);
  if (values.round !== undefined && values.seed === undefined) throw new Error('--round N requires --seed S');
  if (values.robot !== undefined && values.robot !== 'micropython') throw new Error(`--robot ${values.robot}: must be micropython`);
  return {
    minutes: positive('--minutes', values.minutes) ?? minutesDefault,
    rounds: whole('--rounds', values.rounds),
    systems: whole('--systems', values.systems) ?? systemsDefault,
    seed: values.seed ?? null,
    round: whole('--round', values.round),
    only,
    json: values.json ?? null,
    micropython: values.robot === 'micropython',
    help: values.help,
  };
}

function positive(option: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (!(number > 0)) throw new Error(`${option} ${value}: must be a number above 0`);
  return number;
}

function whole(option: string, value: string | undefined): number | null {
  const number = positive(option, value);
  if (number !== null && !Number.isInteger(number)) throw new Error(`${option} ${value}: must be a whole number`);
  return number;
}
