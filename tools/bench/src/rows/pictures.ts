/** Pictures: cached, new, and many equal ones at once; answered questions; sounds. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Run } from '../bench.js';
import { countedSince, total, writtenWithinMs } from '../redis-stats.js';
import { metric } from '../service-metrics.js';
import type { Perch } from '../variants/perch.js';

const equalAtOnce = 64;
/** Fewer than there are: once a minute, a gateway reads the name of each key that called, which costs a command and may fall into a run. */
const countedKeys = 32;
/** Commands sent by the clock are less than one for two of this many calls, and the calls end before robot-links copy the first picture. */
const countedCallsMin = 60;
/** A robot-link copies a picture that shows for 10 s, which it notices within a second; then it has sent all commands of the copy. */
const copiedWithinMs = 12_000;
const card = (title: string): string => JSON.stringify({ title, text: 'seen before', progress: 0.5 });
const newCard = card('$n');
const question = JSON.stringify({ question: 'Tea or coffee?', answers: ['Tea', 'Coffee'], timeout_s: 10 });
const answered = '{"ok":true,"outcome":"answered","timed_out":false,"replaced":false,"robot_away":false,"answer":"Tea","index":0}';

export async function measurePictures(bench: Bench): Promise<void> {
  bench.log('pictures, waits, sounds');
  const perch = await bench.shared('proxied');
  await equalRequests(bench, perch);
  await seenBefore(bench, perch);
  await others(bench, perch);
}

async function equalRequests(bench: Bench, perch: Perch): Promise<void> {
  await bench.run(perch, { action: 'show', body: card('first'), calls: 1, inFlight: 1 });
  const before = await jobs(perch);
  await bench.run(perch, { action: 'show', body: card('equal'), calls: equalAtOnce, inFlight: equalAtOnce });
  bench.figures.set('jobs of 64 equal requests', [(await jobs(perch)) - before]);
}

/** The difference to a simple action at the same time is the cost of the picture. */
async function seenBefore(bench: Bench, perch: Perch): Promise<void> {
  const of = {
    calls: Math.max(countedCallsMin, bench.plan.pictures),
    inFlight: 1,
    targets: { ...perch.targets, keys: perch.keys.slice(0, countedKeys) },
  };
  await pause(copiedWithinMs);
  // Reading an unknown robot is not the cost of a picture.
  await bench.run(perch, { calls: perch.fleet.robots.length, inFlight: 16 });
  const simple = await counted(bench, perch, of);
  const before = await jobs(perch);
  const show = await counted(bench, perch, { ...of, action: 'show', body: card('equal') });
  bench.figures.set('jobs of a picture seen before', [(await jobs(perch)) - before]);
  // A picture costs a whole number of each kind. What is sent by the clock is less than one for two calls.
  const more = [...show.kinds].map(([kind, count]) => Math.round((count - (simple.kinds.get(kind) ?? 0)) / of.calls));
  bench.figures.set('commands of a picture seen before', [more.reduce((sum, commands) => sum + commands, 0)]);
}

async function others(bench: Bench, perch: Perch): Promise<void> {
  const { figures, plan } = bench;
  await bench.warmUp(perch, { action: 'show', body: newCard, calls: plan.pictureWarmUpCalls });
  const simple = await counted(bench, perch, { calls: plan.pictures, inFlight: 4 });
  const fresh = await counted(bench, perch, { action: 'show', body: newCard, calls: plan.pictures, inFlight: 4 });
  figures.set('CPU of a new picture', [fresh.cpuMs]);
  figures.set('commands of a new picture', [fresh.commands - simple.commands]);

  const ask = { action: 'ask', body: question, expected: answered, commandsPerCall: 2, inFlight: 16 } as const;
  await bench.warmUp(perch, { ...ask, calls: plan.pictureWarmUpCalls });
  const wait = await counted(bench, perch, { ...ask, calls: plan.waits });
  figures.set('CPU of a wait, asked and answered', [wait.cpuMs]);
  figures.set('commands of a wait, asked and answered', [wait.commands]);

  const play = { action: 'sound', body: '{"chime":"tada"}', expected: '{"ok":true,', inFlight: 4 } as const;
  await bench.run(perch, { ...play, calls: 1 });
  const sound = await bench.run(perch, { ...play, calls: plan.sounds });
  figures.set('CPU of a streamed sound', [sound.cpuMs]);
}

interface Counted {
  /** Commands of all calls by their kind. */
  kinds: ReadonlyMap<string, number>;
  /** Commands of a call. */
  commands: number;
}

/** Begins once everything is written that the calls before left behind. */
async function counted(bench: Bench, perch: Perch, options: Parameters<Bench['run']>[1]): Promise<Run & Counted> {
  await pause(writtenWithinMs);
  const before = new Map(perch.proxy!.kinds);
  const run = await bench.run(perch, options);
  const kinds = countedSince(before, perch.proxy!.kinds);
  return { ...run, kinds, commands: total(kinds) / run.calls };
}

function jobs({ cluster }: Perch): Promise<number> {
  return metric(cluster.renderers[0]!, 'perch_render_jobs_total');
}
