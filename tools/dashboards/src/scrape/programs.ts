/** Calls of every kind at a steady rate, streams and polls of events, inputs, and mistakes of programs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Perch } from '@perch/client';
import { VirtualRobot } from '@perch/virtual-robot';
import type { System } from './system.js';

export interface ProgramsOptions {
  system: System;
  callsPerS: number;
}

type Act = (turn: number) => Promise<unknown>;

/** Below a key's limit of 10 per second. */
const callsPerKeyS = 6;

/** Resolves when the last call has ended. */
export async function usePerch({ system, callsPerS }: ProgramsOptions, signal: AbortSignal): Promise<void> {
  const keys = await Promise.all(Array.from({ length: Math.ceil(callsPerS / callsPerKeyS) }, () => system.newKey()));
  const clients = keys.map((apiKey, index) => client(system.gateways[index % system.gateways.length]!, apiKey));
  const everyMs = (1000 * clients.length) / callsPerS;
  const readers = client(system.gateways[0]!, await system.newKey());
  await Promise.all([
    ...clients.map((perch, index) => repeat(everyMs, signal, (turn) => call(perch, system, turn * clients.length + index, signal))),
    ...system.robots.slice(0, 2).map(({ id }) => follow(readers, id, signal)),
    poll(readers, system.robots.at(-1)!.id, signal),
    repeat(500, signal, (turn) => touch(system, turn)),
    repeat(3000, signal, (turn) => mistake(readers, system, turn, signal)),
  ]);
}

function client(baseUrl: string, apiKey: string): Perch {
  return new Perch({ baseUrl, apiKey, maxRetries: 0, idempotencyKeys: false });
}

function call(perch: Perch, { robots }: System, turn: number, signal: AbortSignal): Promise<unknown> {
  const robot = perch.robot(robots[turn % robots.length]!.id);
  const acts: (() => Promise<unknown>)[] = [
    () => robot.face({ emotion: turn % 2 === 0 ? 'happy' : 'neutral' }, { signal }),
    () => robot.leds({ effect: 'breathe', color: 'purple', speed: 0.5, seconds: 2 }, { signal }),
    () => robot.show({ title: 'Build', text: `${turn} of ${turn + 40}`, color: 'green' }, { signal }),
    () => robot.move({ yaw: (turn % 40) - 20, pitch: 45 }, { signal }),
    () => robot.state({ signal }),
    () => robot.sound({ notes: `C4:${100 + (turn % 50)} E4:200 G4:200`, volume: 60 }, { signal }),
    () => robot.ask({ question: `Coffee ${turn % 20}?`, answers: ['Yes', 'No'], timeout_s: 5 }, { signal }),
    () => robot.menu({ title: 'Lunch', items: ['Soup', 'Pizza'], timeout_s: 5 }, { signal }),
    () =>
      robot.scene(
        [
          { action: 'face', emotion: 'happy' },
          { action: 'leds', color: 'blue' },
        ],
        { signal },
      ),
    () => robot.stop({ signal }),
  ];
  return acts[Math.floor(turn / robots.length) % acts.length]!();
}

async function follow(perch: Perch, robot: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Node 20 may garbage-collect the results of AbortSignal.any and AbortSignal.timeout before they fire.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener('abort', end, { once: true });
    const timer = setTimeout(end, 20_000);
    try {
      for await (const _ of perch.robot(robot).events({ signal: ending.signal }));
    } catch {
      // A failure is part of the load as well.
      await sleep(ending.signal.aborted ? 0 : 1000);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

async function poll(perch: Perch, robot: string, signal: AbortSignal): Promise<void> {
  let after = 0;
  while (!signal.aborted) {
    const answer = await perch
      .robot(robot)
      .readEvents({ after, seconds: 5 }, { signal })
      .catch(() => sleep(1000, null));
    if (answer !== null) after = answer.last_seq;
  }
}

async function touch({ robots }: System, turn: number): Promise<void> {
  const { robot } = robots[turn % robots.length]!;
  robot.setReading('battery_pct', 15 + ((turn * 7) % 80));
  robot.setReading('wifi_rssi_dbm', -50 - ((turn * 3) % 30));
  robot.reportNow();
  if (turn % 3 === 0) await robot.pat();
  else await robot.tap(20 + (turn % 200), 220);
  if (turn % 10 === 0) robot.log('info', 'a line of the log');
  if (turn % 25 === 0) robot.restart();
}

/** Each is refused. */
async function mistake(perch: Perch, { absentRobot, robots, gateways, links }: System, turn: number, signal: AbortSignal): Promise<unknown> {
  const mistakes: Act[] = [
    () => perch.robot(absentRobot).face({ emotion: 'happy' }, { signal }),
    () => perch.robot(robots[0]!.id).move({ yaw: 1000 }, { signal }),
    () => perch.robot('r-nobody').state({ signal }),
    () =>
      fetch(`${gateways[0]}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: gateways[0]! },
        body: JSON.stringify({ email: 'dashboards@example.com', password: 'not the password' }),
        signal,
      }),
    async () => {
      const stranger = new VirtualRobot({ url: links[0]!, token: 'rt_wrong' });
      void stranger.start().catch(() => undefined);
      await sleep(500);
      await stranger.stop();
    },
  ];
  return mistakes[turn % mistakes.length]!(turn);
}

/** Whether the last act has ended or not; failures are part of the load. */
async function repeat(everyMs: number, signal: AbortSignal, act: Act): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (let turn = 0; !signal.aborted; turn++) {
    const acting: Promise<unknown> = act(turn)
      .catch(() => undefined)
      .finally(() => open.delete(acting));
    open.add(acting);
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(open);
}
