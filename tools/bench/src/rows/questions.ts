/** Questions that were never drawn: from the request to the whole picture at the robot. Round trips of a known one, and bytes of pictures. */
import { roomy, type Bench, type Run, type RunOptions } from '../bench.js';
import { median, percentile } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

const answered = '{"ok":true,"outcome":"answered",';
const answers = { expected: answered, commandsPerCall: 2 } as const;
export const newQuestion = {
  action: 'ask',
  body: JSON.stringify({ question: 'Tea or coffee, guest $n?', answers: ['Tea', 'Coffee'], timeout_s: 10 }),
  ...answers,
} as const;
const knownQuestion = {
  action: 'ask',
  body: JSON.stringify({ question: 'Tea or coffee?', answers: ['Tea', 'Coffee'], timeout_s: 10 }),
  ...answers,
} as const;
const pictures: readonly (Omit<RunOptions, 'calls' | 'inFlight'> & { body: string })[] = [
  newQuestion,
  { action: 'show', body: JSON.stringify({ title: 'Guest $n', text: 'Coffee is ready in the kitchen', progress: 0.5 }) },
  { action: 'menu', body: JSON.stringify({ title: 'For guest $n', items: ['Tea', 'Coffee', 'Water', 'Milk'], timeout_s: 10 }), ...answers },
];
const picturesOfEach = 12;
/** The same pictures in each run: seven digits in the place of three, as after millions of calls, are a kB more. */
const firstGuest = 101;
const knownQuestions = 15;

export async function measureQuestions(bench: Bench): Promise<void> {
  const { env, figures } = bench;
  bench.log('questions never drawn');
  await bench.withPerch({ env: { ...env, ...roomy } }, async (perch) => {
    await timesOfNew(bench, perch);
    figures.set('bytes of a picture, lossless', [await bytesOfPictures(bench, perch)]);
  });
  await bench.withPerch({ robotKind: 'frames-png8' }, async (perch) => {
    figures.set('bytes of a picture, png8', [await bytesOfPictures(bench, perch)]);
  });
  figures.set('awaited round trips of a known question', [await roundTripsOfKnown(bench, await bench.shared('proxied'))]);
}

interface Round {
  plainP50Ms: number;
  p50Ms: number;
  p99Ms: number;
  cpuMs: number;
}

async function timesOfNew(bench: Bench, perch: Perch): Promise<void> {
  const { plan, figures } = bench;
  await bench.warmUp(perch);
  await bench.warmUp(perch, { ...newQuestion, calls: plan.pictureWarmUpCalls });
  const rounds = await bench.rounds('new questions', async (): Promise<Round> => {
    const plain = await bench.run(perch, { calls: plan.calls[1], inFlight: 1 });
    await perch.fleet.takePictures();
    const run = await bench.run(perch, { ...newQuestion, calls: plan.pictures, inFlight: 1 });
    const took = await untilComplete(perch, run);
    return { plainP50Ms: plain.p50Ms, p50Ms: percentile(took, 50), p99Ms: percentile(took, 99), cpuMs: run.cpuMs };
  });
  const of = (value: (round: Round) => number): number[] => rounds.map(value);
  figures.set(
    'a new question at the robot, p50',
    of(({ p50Ms }) => p50Ms),
  );
  figures.set(
    'a new question at the robot, p99',
    of(({ p99Ms }) => p99Ms),
  );
  figures.set(
    'CPU of a new question',
    of(({ cpuMs }) => cpuMs),
  );
  figures.set(
    'CPU-seconds per million, new questions',
    of(({ cpuMs }) => cpuMs * 1000),
  );
  figures.set(
    'a new question against a plain action, p50',
    of(({ p50Ms, plainP50Ms }) => p50Ms / plainP50Ms),
  );
  figures.set(
    'a new question, p99 against p50',
    of(({ p99Ms, p50Ms }) => p99Ms / p50Ms),
  );
}

/** With one question in flight, the pictures are complete in the order of the requests. @returns ms */
async function untilComplete({ fleet }: Perch, { sentAt }: Run): Promise<number[]> {
  const complete = await fleet.takePictures();
  if (complete.length !== sentAt.length) throw new Error(`${complete.length} pictures for ${sentAt.length} questions`);
  return complete.map(({ at }, i) => at - sentAt[i]!);
}

/** @returns kB, the mean over question, card and menu */
async function bytesOfPictures(bench: Bench, perch: Perch): Promise<number> {
  await perch.fleet.takePictures();
  for (const { body, ...kind } of pictures) {
    for (let guest = firstGuest; guest < firstGuest + picturesOfEach; guest++)
      await bench.run(perch, { ...kind, body: body.replaceAll('$n', `${guest}`), calls: 1, inFlight: 1 });
  }
  const received = await perch.fleet.takePictures();
  if (received.length !== pictures.length * picturesOfEach) throw new Error(`${received.length} pictures were received`);
  return received.reduce((sum, { bytes }) => sum + bytes, 0) / received.length / 1000;
}

async function roundTripsOfKnown(bench: Bench, perch: Perch): Promise<number> {
  const targets = { ...perch.targets, robots: perch.targets.robots.slice(0, 1) };
  const ask = { ...knownQuestion, targets, calls: 1, inFlight: 1 };
  await bench.run(perch, ask);
  const roundTrips: number[] = [];
  for (let i = 0; i < knownQuestions; i++) {
    const counted = perch.proxy!.roundTripsBeforeMessage;
    // A plain action first: then the connection has nothing of an earlier call.
    await bench.run(perch, { targets, calls: 1, inFlight: 1 });
    counted.length = 0;
    await bench.run(perch, ask);
    const [first] = counted;
    if (first === undefined) throw new Error('no command to the robot-link was seen');
    roundTrips.push(first);
  }
  return median(roundTrips);
}
