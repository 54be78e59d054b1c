/** New cards and questions against the earlier build of `--base`, in alternation, with the processes that draw. */
import type { Bench, RunOptions } from '../bench.js';
import { median, ratios } from '../statistics.js';
import { Perch, type PerchOptions } from '../variants/perch.js';

const kinds = ['picture', 'question'] as const;
type Kind = (typeof kinds)[number];
type Costs = Record<'present' | 'base', Record<Kind, number[]>>;

/** As in the rows of traces, each block starts new processes and is one value of the figures. */
const blocksOf = (rounds: number): number => rounds + 1;
const roundsOfBlock = 3;
const card = JSON.stringify({ title: '$n', text: 'Coffee is ready in the kitchen', progress: 0.5 });
const question = JSON.stringify({ question: 'Tea or coffee, guest $n?', answers: ['Tea', 'Coffee'], timeout_s: 10 });
const answered = '{"ok":true,"outcome":"answered","timed_out":false,"replaced":false,"robot_away":false,"answer":"Tea","index":0}';

export async function measureDrawing(bench: Bench): Promise<void> {
  const { base } = bench;
  if (base === null) return;
  const costs: Costs = { present: { picture: [], question: [] }, base: { picture: [], question: [] } };
  const systems: ['present' | 'base', Partial<PerchOptions>][] = [
    ['present', {}],
    ['base', { root: base }],
  ];
  const blocks = blocksOf(bench.plan.rounds);
  for (let block = 0; block < blocks; block++) {
    await measureBlock(bench, block % 2 === 0 ? systems : systems.toReversed(), costs);
    const last = systems.flatMap(([name]) => kinds.map((kind) => `${name} ${costs[name][kind].at(-1)!.toFixed(2)} ms/${kind}`));
    bench.log(`drawing, block ${block + 1} of ${blocks}: ${last.join(', ')}`);
  }
  for (const kind of kinds) {
    bench.figures.set(`CPU of a new ${kind} against an earlier build`, ratios(costs.present[kind], costs.base[kind]));
  }
}

async function measureBlock(bench: Bench, systems: readonly ['present' | 'base', Partial<PerchOptions>][], costs: Costs): Promise<void> {
  const started: ['present' | 'base', Perch, Record<Kind, number[]>][] = [];
  try {
    for (const [name, options] of systems) {
      const perch = await Perch.start(bench.perchOptions(options));
      started.push([name, perch, { picture: [], question: [] }]);
      for (const kind of kinds) await cpuOf(bench, perch, kind);
    }
    for (let round = 0; round < roundsOfBlock; round++)
      for (const [, perch, own] of started) for (const kind of kinds) own[kind].push(await cpuOf(bench, perch, kind));
    for (const [name, , own] of started) for (const kind of kinds) costs[name][kind].push(median(own[kind]));
  } finally {
    for (const [, perch] of started) await perch.stop();
  }
}

/** @returns ms for each */
async function cpuOf(bench: Bench, perch: Perch, kind: Kind): Promise<number> {
  const options: Record<Kind, RunOptions> = {
    picture: { action: 'show', body: card, calls: bench.plan.pictures, inFlight: 4 },
    question: { action: 'ask', body: question, expected: answered, commandsPerCall: 2, calls: bench.plan.pictures, inFlight: 4 },
  };
  return (await bench.run(perch, options[kind])).cpuMs;
}
