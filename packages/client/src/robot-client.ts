/** One robot: the actions on it, what is made of them, its state and its events. */
import type { Call, Caller } from './caller.js';
import { followEvents, type EventGap, type FollowOptions } from './event-stream.js';
import type { CallOptions } from './options.js';
import { RobotActions } from './robot-actions.generated.js';
import type { AnswerByAction, EventName, EventsAnswer, EventsArguments, RobotEvent, SceneAnswer, SceneStep, StateAnswer } from './types.generated.js';

/** No answer of an action comes later than this, waiting for a person set aside. */
const answerWithinMs = 30_000;
/** Where a wait names no time-out. */
const timeoutSDefault = 30;
const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

export class RobotClient extends RobotActions {
  readonly id: string;
  readonly #caller: Caller;
  readonly #path: string;

  constructor(caller: Caller, id: string) {
    super();
    this.id = id;
    this.#caller = caller;
    this.#path = `/v1/robots/${encodeURIComponent(id)}`;
  }

  /** What the robot is, senses and shows; also while it is offline, with what it had last. */
  state(options?: CallOptions): Promise<StateAnswer> {
    return this.#caller.json(this.#reading(this.#path), options);
  }

  /**
   * Up to 10 actions one after the other, in one call; all are checked before the first is done. An ask, menu or clickmap can only be the last.
   * @throws {PerchError} where one fails: `field` names it, `results` has the answers before it, and those behind it are not done
   */
  async scene<const S extends readonly SceneStep[]>(
    actions: S,
    options?: CallOptions,
  ): Promise<Omit<SceneAnswer, 'results'> & { results: { -readonly [I in keyof S]: AnswerByAction[S[I]['action']] } }> {
    const last = actions.at(-1);
    const waitMs = last === undefined ? 0 : waitMsOf(last.action, last);
    return this.#caller.json(
      { ...this.#acting('scene', { actions }), cost: actions.length, waits: waitMs > 0, withinMs: actions.length * answerWithinMs + waitMs },
      options,
    );
  }

  /** What people did after a number, at once or (`seconds`) as soon as something happens. Feed `last_seq` back as `after`. */
  readEvents(args: EventsArguments = {}, options?: CallOptions): Promise<EventsAnswer> {
    const withinMs = answerWithinMs + (args.seconds ?? 0) * 1000;
    return this.#caller.json({ ...this.#acting('events', args), reads: true, withinMs }, options);
  }

  /**
   * What people do, as it happens, until the loop is left or the signal aborted. Breaks of the connection are bridged; events that are lost
   * to it are told as a `gap`.
   * @throws {PerchError} where the first connection fails, or the key or the robot is no more; the signal's reason
   */
  async *events<N extends EventName = EventName>(options: FollowOptions<N> = {}): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
    const { names, signal } = options;
    const after = options.after === 'now' ? (await this.state({ signal })).last_seq : (options.after ?? 0);
    yield* followEvents(this.#caller, `${this.#path}/events`, { after, names, signal });
  }

  protected override act<T>(name: string, args: object, options?: CallOptions): Promise<T> {
    const waitMs = waitMsOf(name, args);
    return this.#caller.json({ ...this.#acting(name, args), waits: waitMs > 0, withinMs: answerWithinMs + waitMs }, options);
  }

  #acting(name: string, body: object): Call {
    return { method: 'POST', path: `${this.#path}/${name}`, body, cost: 1, reads: false, waits: false, withinMs: answerWithinMs };
  }

  #reading(path: string): Call {
    return { method: 'GET', path, cost: 1, reads: true, waits: false, withinMs: answerWithinMs };
  }
}

/** How long a person may take to answer; 0 where none is asked. */
function waitMsOf(name: string, args: object): number {
  return waits.has(name) ? ((args as { timeout_s?: number }).timeout_s ?? timeoutSDefault) * 1000 : 0;
}
