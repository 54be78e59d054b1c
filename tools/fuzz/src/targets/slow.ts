/** A thousand slow clients; others must be served as before. Windows with and without them alternate on one machine; medians are compared. */
import { setTimeout as pause } from 'node:timers/promises';
import { NormalClient, type Window } from '../slow/normal-client.js';
import { SlowClientsProcess } from '../slow/slow-clients-process.js';
import type { SlowClientsState } from '../slow/slow-clients.js';
import { slowBehaviours } from '../slow/slow-behaviours.js';
import type { Attack, Target } from './target.js';

export const slow: Target = { name: 'slow', group: 'slow', share: 0, attack: attackSlow };

const gatherMs = 20_000;
const settleMs = 2000;
const spare = 1.2;
const factorMax = 2;
/** Below this a factor is noise, ms: the resolution of timers. */
const noiseMs = 1;

async function attackSlow({ system, tally, seed, slow: { held, rounds, windowMs }, log }: Attack): Promise<Record<string, unknown>> {
  const robot = system.robots[0]!;
  const robotTokens = (await system.moreRobots(20)).map(({ token }) => token);
  const keys = Array.from({ length: 150 }, () => system.nextKey());
  const behaviours = slowBehaviours({ keys, robot: robot.id, robotTokens });
  const ports = { gateway: portOf(system.gateway()), link: portOf(system.link()) };
  const normalClient = new NormalClient({ base: system.gateway(), keys: system.others.keys, robots: system.others.robots, windowMs });
  const before: Window[] = [];
  const during: Window[] = [];
  const states: SlowClientsState[] = [];
  log(`slow: ${held} at once, ${rounds} rounds`);
  try {
    await normalClient.window();
    for (let round = 0; round < rounds; round++) {
      before.push(await normalClient.window());
      const clients = new SlowClientsProcess({ behaviours, ports, held: Math.ceil(held * spare) });
      try {
        const gathered = await gather(clients, held);
        // Measure their presence, not their connecting.
        await pause(settleMs);
        during.push(await normalClient.window());
        states.push(least(gathered, await clients.readState()));
      } finally {
        await clients.end();
      }
      await pause(1000);
    }
  } finally {
    await normalClient.close();
  }
  tally.sent(
    'slow',
    states.reduce((sum, { open, returned }) => sum + open + returned, 0),
  );
  const figures = {
    held: Math.min(...states.map(({ open }) => open)),
    byWay: states.at(-1)!.byWay,
    p50Before: median(before.map(({ p50 }) => p50)),
    p50During: median(during.map(({ p50 }) => p50)),
    p99Before: median(before.map(({ p99 }) => p99)),
    p99During: median(during.map(({ p99 }) => p99)),
  };
  const wrong = [...before, ...during].flatMap((window) => window.wrong);
  for (const what of slowProblems({ ...figures, wanted: held, wrong })) {
    tally.violated({ target: 'slow', what, request: JSON.stringify(figures), answer: '', seed, index: -1 });
  }
  return figures;
}

export interface SlowFigures {
  held: number;
  p50Before: number;
  p50During: number;
  p99Before: number;
  p99During: number;
}

/** @param figures ms; `wanted`: intended number of slow clients; `wrong`: answers that were not 200 */
export function slowProblems({ wanted, wrong, held, ...p }: SlowFigures & { wanted: number; wrong: readonly string[] }): string[] {
  const problems: string[] = [];
  if (held < wanted) problems.push(`${held} were held at once, not ${wanted}`);
  if (wrong.length > 0) problems.push(`others were answered ${[...new Set(wrong)].join(', ')} (${wrong.length} times)`);
  const slower = (what: string, was: number, is: number): void => {
    if (is > Math.max(was, noiseMs) * factorMax) problems.push(`the ${what} of others went from ${was} ms to ${is} ms`);
  };
  slower('median', p.p50Before, p.p50During);
  slower('99th percentile', p.p99Before, p.p99During);
  return problems;
}

async function gather(clients: SlowClientsProcess, held: number): Promise<SlowClientsState> {
  const giveUpAt = performance.now() + gatherMs;
  for (;;) {
    const state = await clients.readState();
    if (state.open >= held || performance.now() > giveUpAt) return state;
    await pause(100);
  }
}

function least(a: SlowClientsState, b: SlowClientsState): SlowClientsState {
  return a.open < b.open ? a : b;
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)]! * 100) / 100;
}
