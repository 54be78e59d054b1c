/** A client for one robot: its actions, scenes, state and events. */
import type { Call, Caller } from './caller.js';
import { followEvents, type EventGap, type FollowOptions } from './event-stream.js';
import type { CallOptions } from './options.js';
import { RobotActions } from './robot-actions.generated.js';
import type { AnswerByAction, EventName, EventsAnswer, EventsArguments, RobotEvent, SceneAnswer, SceneStep, StateAnswer } from './types.generated.js';

/** Time limit for the response of an action, in addition to waiting for a person or an event. */
const answerWithinMs = 30_000;
/** The service's default for `timeout_s`, in seconds. */
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

  /**
   * Returns the robot's state (GET /v1/robots/{robot}); while it is offline, with its last readings.
   * @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted
   */
  state(options?: CallOptions): Promise<StateAnswer> {
    return this.#caller.json(this.#reading(this.#path), options);
  }

  /**
   * Runs up to 10 actions in order, in one call (POST /v1/robots/{robot}/scene). All are checked before the first one runs. An ask, menu or
   * clickmap can only be the last.
   * @returns `results`: the response of each action, in order
   * @throws {PerchError} an action failed: `field` names it, `results` has the responses before it, and the following actions did not run
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

  /**
   * Reads the events after a number, immediately or, with `seconds` (at most 60), as soon as the next one happens. Pass `last_seq` as the next `after`.
   * @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted
   */
  readEvents(args: EventsArguments = {}, options?: CallOptions): Promise<EventsAnswer> {
    const withinMs = answerWithinMs + (args.seconds ?? 0) * 1000;
    return this.#caller.json({ ...this.#acting('events', args), reads: true, withinMs }, options);
  }

  /**
   * Yields events as they happen, until the loop is left or the signal is aborted. A broken connection is resumed after the last event; missing
   * events are yielded as a `gap`.
   * @throws {PerchError} the first connection failed, or the key was revoked or the robot removed @throws the signal's reason if it is aborted
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

/** Returns how long a person may take to answer, in ms; 0 for actions that do not wait. */
function waitMsOf(name: string, args: object): number {
  return waits.has(name) ? ((args as { timeout_s?: number }).timeout_s ?? timeoutSDefault) * 1000 : 0;
}
