/** A program's next call: an action with arguments that no other call of the round has. */
import { hitTest, menuScene, questionScene, regionTargets } from '@perch/screen';
import { markOf, type Marks } from '../history/marks.js';
import type { AskedWait, Body, CallRequest } from '../history/records.js';
import type { Random } from '../random.js';

export interface Plan {
  action: string;
  args: Body;
  asked: CallRequest;
  withinMs: number;
}

/** Time limit of an action, and of a wait beyond its timeout, ms. */
const actionWithinMs = 14_000;
/** Until another gateway takes the entry of one that died, looks of gateways included, and has drawn it, ms. */
const takenAgainMs = 25_000 + actionWithinMs;

/** Every healthy robot executes it whatever it shows. */
export function planProbe(marks: Marks): Plan {
  return marked('leds', 'leds.effect', { effect: 'blink', color: 'white', seconds: 1 + marks.next() / 1000 });
}

/** The robot cannot tell the others apart; they are told apart by time. */
export function planAction(random: Random, marks: Marks): Plan {
  const n = marks.next();
  const drawn = random.next();
  if (drawn < 0.3) return planProbe(marks);
  if (drawn < 0.5) return marked('move', 'head.move', { yaw: Math.round(-12_000 + (n % 24_000)) / 100 });
  if (drawn < 0.7) {
    const args = { address: 1 + (n % 65_000), command: Math.floor(n / 65_000) % 256 };
    return marked('command', 'robot', { command: 'ir_send', args });
  }
  if (drawn < 0.84) return marked('say', 'bubble', { text: `Call ${n}`, seconds: 0.5 });
  if (drawn < 0.9) return unmarked('face', 'face', { emotion: random.pick(['neutral', 'happy', 'sad', 'doubt']) });
  if (drawn < 0.93) return unmarked('sound', 'audio.volume', { volume: n % 101 });
  if (drawn < 0.95) return unmarked('sound', 'audio.play', { notes: 'C4:60 E4:60', volume: 20 });
  if (drawn < 0.96) return unmarked('show', 'screen.show card', { text: `Card ${n}` });
  if (drawn < 0.98)
    return { action: 'show', args: { text: `Card ${n}`, for_s: 1, ...placed(random) }, asked: { kind: 'queued-card' }, withinMs: actionWithinMs };
  return unmarked('show', 'screen.clear card', { clear: true });
}

/** Many waits of a round time out. */
const timeoutsS = [0.3, 0.6, 1, 1.5] as const;

/** No other wait of the round has these answers. @param timeouts to draw from, s */
export function planWait(random: Random, marks: Marks, timeouts: readonly number[] = timeoutsS): Plan {
  const timeoutS = random.pick(timeouts);
  const drawn = random.next();
  if (drawn < 0.4) return planQuestion(random, marks, timeoutS);
  const n = marks.next();
  if (drawn < 0.7) {
    const items = Array.from({ length: random.int(2, 6) }, (_, i) => ({ id: `m${n}-${i}`, label: `Tile ${i}` }));
    const { targets } = menuScene(
      { items },
      items.map(() => null),
    );
    return wait(
      'menu',
      { items },
      timeoutS,
      items.map(({ id }) => id),
      (x, y) => hitTest(targets, x, y),
    );
  }
  const regions = [
    { id: `r${n}-0`, rect: [0, 0, 100, 240] },
    { id: `r${n}-1`, circle: [240, 120, 70] },
  ];
  const targets = regionTargets(regions);
  return wait(
    'clickmap',
    { regions },
    timeoutS,
    regions.map(({ id }) => id),
    (x, y) => hitTest(targets, x, y),
  );
}

function planQuestion(random: Random, marks: Marks, timeoutS: number): Plan {
  const n = marks.next();
  const answers = ['A', 'B', 'C', 'D'].slice(0, random.int(2, 4)).map((letter) => `${letter}${n}`);
  const args = { question: `Q${n % 8}?`, answers };
  const { targets } = questionScene(args);
  const plan = wait('ask', args, timeoutS, answers, (x, y) => hitTest(targets, x, y));
  if (!random.chance(0.25)) return plan;
  return { ...plan, args: { ...plan.args, whole: true }, asked: { ...(plan.asked as AskedWait), approval: true } };
}

/** A question that replaces nothing: it shows when its turn comes, or expires. */
export function planQueuedQuestion(random: Random, marks: Marks): Plan {
  const { args, asked, withinMs } = planQuestion(random, marks, random.pick(timeoutsS));
  const place = placed(random);
  const expiresMs = place.expires_s * 1000;
  return { action: 'ask', args: { ...args, ...place }, asked: { ...(asked as AskedWait), expiresMs }, withinMs: withinMs + expiresMs + takenAgainMs };
}

function placed(random: Random): { queue: true; priority: number; expires_s: number } {
  return { queue: true, priority: random.int(0, 9), expires_s: random.int(1, 3) };
}

export function planRead(reader: string, after: number, seconds: number, names: readonly string[] | null): Plan {
  const args = { after, seconds, ...(names === null ? {} : { names }) };
  return { action: 'events', args, asked: { kind: 'read', after, waitMs: seconds * 1000, names, reader }, withinMs: seconds * 1000 + 1000 };
}

export function marked(action: string, command: string, args: Body): Plan {
  return { action, args, asked: { kind: 'marked', mark: markOf(command, args) ?? '' }, withinMs: actionWithinMs };
}

export function unmarked(action: string, command: string, args: Body): Plan {
  return { action, args, asked: { kind: 'unmarked', command }, withinMs: actionWithinMs };
}

function wait(
  action: 'ask' | 'menu' | 'clickmap',
  args: Body,
  timeoutS: number,
  answers: readonly string[],
  hits: (x: number, y: number) => number,
): Plan {
  const timeoutMs = timeoutS * 1000;
  return {
    action,
    args: { ...args, timeout_s: timeoutS },
    asked: { kind: 'wait', action, timeoutMs, answers, hits },
    withinMs: timeoutMs + actionWithinMs,
  };
}
