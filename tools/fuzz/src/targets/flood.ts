/** Another account's new cards must appear as before. At the end all clients of the flood hang up; nothing of it may be left soon after. */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { costlyPng } from '@perch/testkit';
import type { Attack, Target } from './target.js';

export const flood: Target = { name: 'flood', group: 'flood', share: 0, attack: attackFlood };

const floodMs = 8000;
/** Just below the rate limit of a key. */
const everyMs = 1000 / 9.5;
const otherEveryMs = 200;
const p99MaxMs = 2000;
const goneWithinMs = 3000;

async function attackFlood({ system, tally, seed, log }: Attack): Promise<Record<string, unknown>> {
  const { store, robots, others } = system;
  const url = (robot: string): string => `${system.gateway()}/v1/robots/${robot}/show`;
  const show = async (robot: string, key: string, args: object, signal?: AbortSignal): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(url(robot), { method: 'POST', headers, body: JSON.stringify(args), ...(signal && { signal }) });
    const { code } = (await response.json()) as { code?: string };
    return code === undefined ? String(response.status) : `${response.status} ${code}`;
  };
  const key = system.nextKey();
  const hangUp = new AbortController();
  setMaxListeners(0, hangUp.signal);
  const ends: Record<string, number> = {};
  let sent = 0;
  const timer = setInterval(() => {
    show(robots[0]!.id, key, { image: costlyPng(`${seed} ${sent++}`) }, hangUp.signal).then(
      (how) => (ends[how] = (ends[how] ?? 0) + 1),
      () => {},
    );
  }, everyMs);
  const took: number[] = [];
  const wrong: string[] = [];
  log('flood: costly pictures by one account');
  try {
    const endsAt = performance.now() + floodMs;
    for (let i = 0; performance.now() < endsAt; i++) {
      const beganAt = performance.now();
      const how = await show(others.robots[0]!.id, others.keys[i % others.keys.length]!, { text: `Card ${i} of ${seed}` });
      took.push(performance.now() - beganAt);
      if (how !== '200') wrong.push(how);
      await pause(Math.max(0, otherEveryMs - (performance.now() - beganAt)));
    }
  } finally {
    clearInterval(timer);
    hangUp.abort();
  }
  const endedAt = performance.now();
  let waiting = await store.jobs.waiting();
  while (waiting.uploads + waiting.scenes > 0 && performance.now() - endedAt < goneWithinMs) {
    await pause(50);
    waiting = await store.jobs.waiting();
  }
  tally.sent('flood', sent);
  const sorted = took.toSorted((a, b) => a - b);
  const figures = {
    sent,
    ends,
    calls: took.length,
    p50: Math.round(sorted[Math.floor(sorted.length / 2)]!),
    p99: Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1]!),
    goneMs: Math.round(performance.now() - endedAt),
  };
  log(`flood: ${JSON.stringify(figures)}`);
  for (const what of floodProblems({ ...figures, wrong, waiting: waiting.uploads + waiting.scenes })) {
    tally.violated({ target: 'flood', what, request: JSON.stringify(figures), answer: '', seed, index: -1 });
  }
  return figures;
}

/** @param figures p99: ms of the other account's calls; waiting: jobs left when the flood should be over */
export function floodProblems({ p99, wrong, waiting }: { p99: number; wrong: readonly string[]; waiting: number }): string[] {
  const problems: string[] = [];
  if (wrong.length > 0) problems.push(`another account was answered ${[...new Set(wrong)].join(', ')} (${wrong.length} times)`);
  if (p99 > p99MaxMs) problems.push(`the 99th percentile of another account's new cards is ${p99} ms`);
  if (waiting > 0) problems.push(`${waiting} jobs still wait ${goneWithinMs} ms after the flood`);
  return problems;
}
