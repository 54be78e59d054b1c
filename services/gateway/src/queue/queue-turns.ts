/**
 * Shows the entries of robots' queues when their turn comes, with the code of the actions. All gateways look at every queue once a second; `Queue` of
 * @perch/store gives each entry to one of them, and to another one if that one dies.
 */
import { Repeated, type Logger } from '@perch/runtime';
import { isQuietAt, limits, type ActionName, type AnswerOf, type ArgsOf, type ErrorCode, type WaitOutcome } from '@perch/schema';
import { StoreError, type Store, type Taken } from '@perch/store';
import { createAsk } from '../actions/ask.js';
import type { ActionServices } from '../actions/action.js';
import { createShow } from '../actions/show.js';
import type { ActivityLog } from '../activity/activity-log.js';
import { Call, type CallNotes } from '../calls/call.js';
import { asApiError, draining } from '../calls/failures.js';
import { ServiceTime } from '../calls/service-time.js';
import type { WaitSettler } from '../waits/wait-settler.js';

const everyMs = 1_000;
const robotsAtOnce = 100;
/** Of robots that are away, ms. */
const lookAtAwayMs = 5_000;
/** The entry stays in the queue until it can be shown, or expires. */
const laterCodes: ReadonlySet<ErrorCode> = new Set(['robot_offline', 'robot_busy', 'busy', 'draining', 'service_unavailable']);
/** The robot may show the card. */
const unsureCodes: ReadonlySet<ErrorCode> = new Set(['no_ack', 'outcome_unknown']);

export interface QueueTurnsOptions {
  store: Pick<Store, 'apiKeys' | 'queue' | 'waits' | 'detachedWaits' | 'instances' | 'clock'>;
  services: ActionServices;
  settler: Pick<WaitSettler, 'settle'>;
  activity: Pick<ActivityLog, 'showedLater'>;
  log: Logger;
}

/** The entry is not this gateway's any more. */
class EntryLost extends Error {
  override readonly name = 'EntryLost';
}

export class QueueTurns {
  readonly #options: QueueTurnsOptions;
  readonly #ending = new AbortController();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #looks = new Repeated(everyMs, () => this.#look());

  constructor(options: QueueTurnsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#looks.start();
  }

  /** What is being drawn stays in the queue, for another gateway. */
  async stop(): Promise<void> {
    this.#ending.abort(draining());
    await this.#looks.stop();
    await Promise.all(this.#turns.values());
  }

  async #look(): Promise<void> {
    const { store, log } = this.#options;
    if (this.#turns.size >= robotsAtOnce) return;
    try {
      for (const robot of await store.queue.due(robotsAtOnce)) {
        if (this.#turns.has(robot)) continue;
        const turn = this.#turn(robot)
          .catch((error: unknown) => log.warn({ err: error, robot }, 'could not show the next entry of a queue; the next look follows'))
          .finally(() => this.#turns.delete(robot));
        this.#turns.set(robot, turn);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not look at the queues of robots; the next look follows');
    }
  }

  async #turn(robot: string): Promise<void> {
    const { store, services } = this.#options;
    const known = await services.directory.read(robot);
    const held = known?.lease.state === 'held';
    const quiet = known !== null && isQuietAt(known.record.settings, store.clock.now());
    const turn = await store.queue.take(robot, !held ? null : quiet ? limits.queue.priorityMax : 0);
    if (turn === 'empty') return;
    if ('laterMs' in turn) return store.queue.lookAgain(robot, held ? turn.laterMs : lookAtAwayMs);
    const { taken } = turn;
    if (taken.entry.account !== known!.record.account || (await this.#isAbandoned(taken))) {
      await store.queue.step(taken, { step: 'over', outcome: { outcome: 'cancelled' } });
      return store.queue.lookAgain(robot, 0);
    }
    await this.#show(taken);
    await store.queue.lookAgain(robot, everyMs);
  }

  /** Nobody waits for the question of a gateway that died. */
  async #isAbandoned({ entry: { holder } }: Taken): Promise<boolean> {
    return holder !== '' && (await this.#options.store.instances.health([holder])).get(holder) === 'gone';
  }

  async #show(taken: Taken): Promise<void> {
    const { queue } = this.#options.store;
    const { action, showMs } = taken.entry;
    try {
      if (action === 'ask') return await this.#ask(taken);
      await this.#perform(taken, 'show');
      await queue.step(taken, { step: 'shown', ms: showMs });
    } catch (error) {
      // After a StoreError, the entry is another gateway's once its time is over.
      if (error instanceof EntryLost || error instanceof StoreError) return;
      const { code, message } = asApiError(error);
      if (laterCodes.has(code)) await queue.step(taken, { step: 'back' });
      else if (action === 'show' && unsureCodes.has(code)) await queue.step(taken, { step: 'shown', ms: showMs });
      else await this.#over(taken, { outcome: 'failed', code, error: message });
    }
  }

  async #ask(taken: Taken): Promise<void> {
    const { store, settler } = this.#options;
    const { robot, number, as } = taken;
    const queued = await store.waits.read(robot, number);
    if (queued === null || queued.outcome !== null) return this.#over(taken, { outcome: 'cancelled' });
    const { record, detached } = queued;
    let opened = queued.queued !== true;
    // A gateway that died had opened it.
    if (opened && detached !== undefined) await store.detachedWaits.detach(robot, record, detached);
    else {
      const { outcome } = await this.#perform(taken, 'ask');
      opened = outcome === 'pending';
      if (!opened) return this.#over(taken, { outcome: 'replaced' });
    }
    // It was taken away while it was being shown.
    if (!(await store.queue.step(taken, { step: 'asked', timeoutMs: record.timeoutMs }))) await settler.settle(robot, as, { outcome: 'cancelled' });
  }

  async #over(taken: Taken, outcome: WaitOutcome): Promise<void> {
    await this.#options.store.queue.step(taken, { step: 'over', outcome });
  }

  async #perform<N extends ActionName & ('show' | 'ask')>(taken: Taken, action: N): Promise<Omit<AnswerOf<N>, 'ok'>> {
    const { services, activity } = this.#options;
    const { robot, entry } = taken;
    const { account, guest, via } = entry;
    const notes: CallNotes = { via, question: null, screens: [] };
    const keyHash = await this.#keyHashOf(taken);
    const call = this.#callOf(taken, keyHash, notes);
    try {
      const own = { ...services, commands: this.#commandsOf(taken), waits: this.#waitsOf(taken) };
      const done = action === 'show' ? createShow(own)(call, entry.args) : createAsk(own)(call, entry.args as ArgsOf<'ask'>);
      return (await done) as Omit<AnswerOf<N>, 'ok'>;
    } finally {
      activity.showedLater({ caller: { account, keyHash, ...(guest && { guest }) }, robot, ...notes });
    }
  }

  /** Returns the hash of the key as it is now: the entry may have come with a former secret, or an access token, which lives for an hour. */
  async #keyHashOf({ entry: { account, keyHash, owner } }: Taken): Promise<string> {
    return (owner?.startsWith('k-') ? await this.#options.store.apiKeys.hashOf(account, owner) : null) ?? keyHash;
  }

  #callOf({ robot, entry }: Taken, keyHash: string, notes: CallNotes): Call {
    const { account, guest, requestId, approves = false } = entry;
    const time = new ServiceTime(performance.now());
    return new Call({
      exchange: Object.assign(notes, { requestId, signal: this.#ending.signal, span: null, time }),
      key: { account, keyHash, scopes: approves ? ['approve'] : [], ...(guest && { guest }) },
      robot,
      // The key may have been revoked since.
      keyCheck: { at: -Infinity },
      arrivedAt: this.#options.store.clock.now(),
      cancelled: null,
      effects: null,
    });
  }

  /** Before each command is sent, the entry must still be this gateway's. */
  #commandsOf(taken: Taken): ActionServices['commands'] {
    const { services, store } = this.#options;
    return {
      send: (call, { command, ...request }) =>
        services.commands.send(call, {
          ...request,
          command: async (robot, signal) => {
            const built = typeof command === 'function' ? await command(robot, signal) : command;
            if (!(await store.queue.step(taken, { step: 'send' }))) throw new EntryLost();
            return built;
          },
        }),
    };
  }

  #waitsOf({ robot, number, as }: Taken): ActionServices['waits'] {
    const { services, store } = this.#options;
    return {
      run: async (call, plan) => {
        const detached = (await store.waits.read(robot, number))?.detached;
        if (detached === undefined) throw new EntryLost();
        const kept = { queuedAs: number, ...detached };
        return services.waits.run(call, { ...plan, number: as, detach: { from: 'open', choices: kept.choices, kept } });
      },
    };
  }
}
