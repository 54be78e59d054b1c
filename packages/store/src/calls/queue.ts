/**
 * Actions of programs that share a robot: each shows when what is before it is over. Nobody holds an entry: any gateway takes the next one, in order
 * of priority and arrival, while no question is open and no card of the queue has time left.
 * - The entry of a question has a wait from its arrival on, under its own number; it `became` another wait once it is taken, under whose number it opens.
 * - A gateway that takes an entry has `takenMs` to show it; then another one takes it. A card that may have been sent is not sent again.
 * - A stop empties the queue, its questions end as replaced. An entry that expires is removed, its question ends as timed out.
 */
import { limits, type DetachedWait, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { GuestPass } from '../guests/guests.js';
import type { RedisClock } from '../instances/clock.js';
import { StoreError, guarded } from '../redis/errors.js';
import { robotKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { ActivityVia } from '../activity/activity.js';
import { drawnWithinMs, armWithinMs } from './waits.js';

/** For drawing and arming, which take 13 s at most. */
const takenMs = 20_000;
const endedKeptMs = limits.wait.detachedKeptS * 1000;
const lookEveryMs = 1_000;
/** Higher than every priority. */
const none = limits.queue.priorityMax + 1;
const timedOut: WaitOutcome = { outcome: 'timed_out' };

export interface QueueEntry {
  action: 'show' | 'ask';
  /** Validated; without those of the queue. */
  args: object;
  /** The robot's: the entry is dropped if the robot has another one by then. */
  account: string;
  keyHash: string;
  guest: GuestPass | null;
  /** As in `DetachedWait`. Absent from 0.10.x. */
  owner?: string;
  /** The key has the scope `approve`. Absent from 0.10.x. */
  approves?: true;
  requestId: string;
  via: ActivityVia;
  /** The gateway whose call waits for the question; '': nobody holds it. Of a dead gateway it is dropped. */
  holder: string;
  /** How long a card shows before the next entry. */
  showMs: number;
}

/** An entry as the export of an account has it. */
export interface ListedEntry {
  number: number;
  entry: QueueEntry;
  priority: number;
  expiresAt: number;
  isQuestion: boolean;
}

/** The part of an entry that only a question has. */
export interface QueuedQuestion {
  record: WaitRecord;
  detached: DetachedWait;
}

export interface Taken {
  robot: string;
  number: number;
  /** Number of the wait that a question opens. */
  as: number;
  entry: QueueEntry;
  /** Another gateway had taken it, and did not finish. */
  again: boolean;
}

/** `laterMs`: when to look again at the latest. */
export type Turn = { taken: Taken } | { laterMs: number } | 'empty';

export type Step =
  | { step: 'send' | 'back' }
  | { step: 'shown'; ms: number }
  | { step: 'asked'; timeoutMs: number }
  | { step: 'over'; outcome: WaitOutcome };

export interface QueueOptions {
  redis: Connections;
  clock: Pick<RedisClock, 'now'>;
  /** Called with a question that expired. */
  ended: (robot: string, number: number) => void;
}

export class Queue {
  readonly #redis: Connections;
  readonly #clock: QueueOptions['clock'];
  readonly #ended: QueueOptions['ended'];

  constructor({ redis, clock, ended }: QueueOptions) {
    this.#redis = redis;
    this.#clock = clock;
    this.#ended = ended;
  }

  /** @param number of `waits.number`; null: the robot does not exist @returns the place, from 1 @throws {StoreError} it may have entered */
  async add(
    robot: string,
    number: number,
    { entry, priority, expiresMs, question }: { entry: QueueEntry; priority: number; expiresMs: number; question: QueuedQuestion | null },
  ): Promise<number | 'full' | null> {
    // First, so that a gateway looks at it in any case.
    await guarded(() => this.#redis.commands.zadd(sharedKeys.queuedRobots(), 'NX', this.#clock.now() + lookEveryMs, robot));
    const keys = [robotKeys.queue(robot), robotKeys.queueEntries(robot), robotKeys.record(robot)] as const;
    const ttlMs = expiresMs + (question?.record.timeoutMs ?? 0) + armWithinMs + takenMs + endedKeptMs;
    const reply = await this.#redis.script('queueAdd', question === null ? keys : [...keys, robotKeys.wait(robot, number)], [
      number,
      scoreOf(priority, number),
      JSON.stringify(entry),
      expiresMs,
      limits.queue.entriesMax,
      question === null ? '' : JSON.stringify(question.record),
      question === null ? '' : JSON.stringify(question.detached),
      ttlMs,
    ]);
    if (reply[0] !== 'added') return reply[0] === 'full' ? 'full' : null;
    // In case a gateway found the queue empty meanwhile.
    await this.lookAgain(robot, 0);
    return reply[1];
  }

  /** @returns the place, from 1; null: it is not in the queue */
  async place(robot: string, number: number): Promise<number | null> {
    const at = (await guarded(() => this.#redis.commands.zrange(robotKeys.queue(robot), '0', '-1'))).indexOf(String(number));
    return at === -1 ? null : at + 1;
  }

  /** Returns the entries that have not expired, in the order of their turns. One that is being shown may still be among them. */
  async list(robot: string): Promise<ListedEntry[]> {
    const { commands } = this.#redis;
    const numbers = await guarded(() => commands.zrange(robotKeys.queue(robot), '0', '-1', 'WITHSCORES'));
    const scored = Array.from({ length: numbers.length / 2 }, (_, i) => ({ number: numbers[2 * i]!, score: Number(numbers[2 * i + 1]) }));
    if (scored.length === 0) return [];
    const fields = scored.flatMap(({ number }) => [number, `until:${number}`]);
    const values = await guarded(() => commands.hmget(robotKeys.queueEntries(robot), ...fields));
    return scored.flatMap(({ number, score }, i) => {
      const [text, until] = [values[2 * i], values[2 * i + 1]];
      const entry = typeof text === 'string' ? this.#redis.forms.read<QueueEntry>('queue_entry', text) : null;
      const expiresAt = parseInt(until ?? '0', 10);
      if (entry === null || expiresAt <= this.#clock.now()) return [];
      return {
        number: Number(number),
        entry,
        priority: limits.queue.priorityMax - Math.floor(score / 1e14),
        expiresAt,
        isQuestion: until!.endsWith('q'),
      };
    });
  }

  /** Returns robots whose queue is due for a look; each is due again a second later. */
  async due(countMax: number): Promise<string[]> {
    const { commands } = this.#redis;
    const key = sharedKeys.queuedRobots();
    const robots = await guarded(() => commands.zrangebyscore(key, '-inf', this.#clock.now(), 'LIMIT', 0, countMax));
    const nextAt = this.#clock.now() + lookEveryMs;
    if (robots.length > 0) await guarded(() => commands.zadd(key, 'XX', ...robots.flatMap((robot) => [nextAt, robot])));
    return robots;
  }

  async lookAgain(robot: string, inMs: number): Promise<void> {
    await guarded(() => this.#redis.commands.zadd(sharedKeys.queuedRobots(), this.#clock.now() + inMs, robot));
  }

  /** Ends the turn of a card that was taken away. A robot without a card of the queue costs one command. */
  async cleared(robot: string): Promise<void> {
    const ended = await guarded(() => this.#redis.commands.hdel(robotKeys.queueEntries(robot), 'free_at'));
    if (ended > 0) await this.#hurry(robot);
  }

  /** @param priorityMin entries below it stay; null: all stay, and expire */
  async take(robot: string, priorityMin: number | null): Promise<Turn> {
    const keys = [
      robotKeys.queue(robot),
      robotKeys.queueEntries(robot),
      robotKeys.waitHead(robot),
      robotKeys.lease(robot),
      robotKeys.drawnWaits(robot),
    ] as const;
    const reply = await this.#redis.script('queueTake', keys, [
      robotKeys.wait(robot, ''),
      priorityMin ?? none,
      takenMs,
      JSON.stringify(timedOut),
      this.#redis.publishCommand,
      robotKeys.waitsChannel(robot),
      endedKeptMs,
      drawnWithinMs,
    ]);
    for (const number of reply.at(-1) as string[]) this.#ended(robot, Number(number));
    if (reply[0] === 'later') return { laterMs: reply[1] };
    if (reply[0] === 'taken') {
      const [, number, as, text, again] = reply;
      const entry = this.#redis.forms.read<QueueEntry>('queue_entry', text);
      const taken = { robot, number: Number(number), as: Number(as) };
      if (entry !== null) return { taken: { ...taken, entry, again: again === 1 } };
      await this.step(taken, {
        step: 'over',
        outcome: { outcome: 'failed', code: 'outcome_unknown', error: 'Another release of the service queued it.' },
      });
      return { laterMs: 0 };
    }
    await this.#forget(robot);
    return 'empty';
  }

  /** @returns false if another gateway has taken the entry, a stop has removed it, or its question has ended */
  async step({ robot, number, as }: Pick<Taken, 'robot' | 'number' | 'as'>, step: Step): Promise<boolean> {
    const keys = [robotKeys.queue(robot), robotKeys.queueEntries(robot), robotKeys.lease(robot), robotKeys.wait(robot, number)] as const;
    const ms = step.step === 'shown' ? step.ms : step.step === 'asked' ? step.timeoutMs + armWithinMs + endedKeptMs : endedKeptMs;
    const reply = await this.#redis.script('queueStep', keys, [
      number,
      as,
      step.step,
      Math.round(ms),
      step.step === 'over' ? JSON.stringify(step.outcome) : '',
      this.#redis.publishCommand,
      robotKeys.waitsChannel(robot),
    ]);
    if (reply === 1 && step.step === 'over') this.#ended(robot, number);
    return reply === 1;
  }

  /** Removes an entry, also one that a gateway is showing, whose next step then fails. @returns whether it was in the queue */
  async drop(robot: string, number: number, outcome: WaitOutcome): Promise<boolean> {
    const keys = [robotKeys.queue(robot), robotKeys.queueEntries(robot), robotKeys.lease(robot), robotKeys.wait(robot, number)] as const;
    const { publishCommand } = this.#redis;
    const args = [number, JSON.stringify(outcome), publishCommand, robotKeys.waitsChannel(robot), endedKeptMs];
    if ((await this.#redis.script('queueDrop', keys, args)) !== 1) return false;
    this.#ended(robot, number);
    await this.#hurry(robot);
    return true;
  }

  /** Lets the next entry have its turn at once. A full Redis refuses that: the entry comes when the robot is due, and nothing else depends on it. */
  async #hurry(robot: string): Promise<void> {
    await this.lookAgain(robot, 0).catch((error: unknown) => {
      if (!(error instanceof StoreError && error.outOfMemory)) throw error;
    });
  }

  async #forget(robot: string): Promise<void> {
    const { commands } = this.#redis;
    await guarded(() => commands.zrem(sharedKeys.queuedRobots(), robot));
    // An entry that was added since the look is listed again, here or by its caller.
    if ((await guarded(() => commands.zcard(robotKeys.queue(robot)))) > 0) await this.lookAgain(robot, 0);
  }
}

/** Ascending: from the highest priority to the lowest, and then by arrival. Numbers are below 10^14, and the sums exact. */
function scoreOf(priority: number, number: number): number {
  return (limits.queue.priorityMax - priority) * 1e14 + number;
}
