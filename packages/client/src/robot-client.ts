import { answerWithinMs, type Call, type Caller } from './caller.js';
import { pathPart } from './checked-id.js';
import { followEvents, type EventGap, type FollowOptions } from './event-stream.js';
import type { CallOptions, QuestionOptions } from './options.js';
import { RobotActions } from './robot-actions.generated.js';
import type {
  AnswerByAction,
  ArgumentsByAction,
  EventName,
  EventsAnswer,
  EventsArguments,
  RobotEvent,
  SceneAnswer,
  SceneStep,
  ScreenImageAnswer,
  StateAnswer,
} from './types.generated.js';

/** Actions that can be drawn without being shown. */
export type PreviewedAction = 'show' | 'say' | 'ask' | 'menu';

/** The service's default for `timeout_s`, and the most that it is for pages that must all be read. */
const timeoutSDefault = 30;
const pagesTimeoutSMax = 120;
/** Time that the speech engine of the service may take. */
const speakMs = 30_000;
const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);
const image = { headers: { accept: 'application/json' }, promises: { image: 'string' } } as const;

export class RobotClient extends RobotActions {
  readonly id: string;
  readonly #caller: Caller;
  readonly #path: string;

  constructor(caller: Caller, id: string) {
    super();
    this.id = id;
    this.#caller = caller;
    this.#path = `/v1/robots/${pathPart(id)}`;
  }

  /**
   * Returns the robot's state (GET /v1/robots/{robot}); while it is offline, with its last readings.
   * @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted
   */
  state(options?: CallOptions): Promise<StateAnswer> {
    return this.#caller.json({ ...this.#reading(this.#path), promises: { last_seq: 'number' } }, options);
  }

  /**
   * Returns what the robot's screen shows now, as a PNG in base64 (GET /v1/robots/{robot}/screen): the question, card or picture, or else its face or
   * readings as the service draws them.
   * @throws {PerchError} the service reported a failure, such as `robot_offline`, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  screen(options?: CallOptions): Promise<ScreenImageAnswer> {
    return this.#caller.json({ ...this.#reading(`${this.#path}/screen`), ...image }, options);
  }

  /**
   * Draws what an action would show, without showing it, also while the robot is offline (POST /v1/robots/{robot}/preview/{action}).
   * @returns `image`: a PNG in base64
   * @throws {PerchError} the service reported a failure, the same as for the action itself, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  preview<A extends PreviewedAction>(action: A, args: ArgumentsByAction[A], options?: CallOptions): Promise<ScreenImageAnswer> {
    return this.#caller.json({ ...this.#acting(`preview/${action}`, args), reads: true, ...image }, options);
  }

  /**
   * Runs up to 10 actions in order, or at their times (`at_ms`), in one call (POST /v1/robots/{robot}/scene). All are checked before the first one
   * runs. An ask, menu or clickmap can only be the last.
   * @returns `results`: the response of each action, in order
   * @throws {PerchError} an action failed: `field` names it, `results` has the responses before it, and the following actions did not run
   */
  async scene<const S extends readonly SceneStep[]>(
    actions: S,
    options?: CallOptions,
  ): Promise<Omit<SceneAnswer, 'results'> & { results: { -readonly [I in keyof S]: AnswerByAction[S[I]['action']] } }> {
    const last = actions.at(-1);
    const waitMs = last === undefined ? 0 : waitMsOf(last.action, last);
    const lastsMs = actions.reduce((sum, { action }) => sum + speakMsOf(action), Math.max(0, ...actions.map((step) => step.at_ms ?? 0)));
    return this.#caller.json(
      {
        ...this.#acting('scene', { actions }),
        cost: actions.length,
        promises: { results: 'array' },
        waits: waitMs > 0,
        moreMs: (actions.length - 1) * answerWithinMs + waitMs + lastsMs,
      },
      options,
    );
  }

  /**
   * Reads the events after a number, immediately or, with `seconds` (at most 60), as soon as the next one happens. Pass `last_seq` as the next
   * `after`.
   * @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted
   */
  readEvents(args: EventsArguments = {}, options?: CallOptions): Promise<EventsAnswer> {
    return this.#caller.json(
      { ...this.#acting('events', args), reads: true, moreMs: (args.seconds ?? 0) * 1000, promises: { events: 'array' } },
      options,
    );
  }

  /**
   * Yields events as they happen, until the loop is left or the signal is aborted. A broken connection is resumed after the last event; missing
   * events are yielded as a `gap`.
   * @throws {PerchError} the first connection failed, or the key was revoked or the robot removed @throws the signal's reason if it is aborted
   */
  events<N extends EventName = EventName>(options: FollowOptions<N> = {}): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
    const { after = 0, names } = options;
    const start = async (signal: AbortSignal): Promise<number> => (after === 'now' ? (await this.state({ signal })).last_seq : after);
    return followEvents(this.#caller, `${this.#path}/events`, { names: names && [...names], signal: options.signal, start });
  }

  protected override act<T>(name: string, args: object, options?: QuestionOptions): Promise<T> {
    const waitMs = waitMsOf(name, args);
    const call: Call = { ...this.#acting(name, args), waits: waitMs > 0, moreMs: waitMs + speakMsOf(name), removal: `${this.#path}/wait` };
    return this.#caller.json(waits.has(name) ? { ...call, promises: { outcome: 'string' } } : call, options);
  }

  #acting(name: string, body: object): Call {
    return { method: 'POST', path: `${this.#path}/${name}`, body, cost: 1, reads: false, waits: false };
  }

  #reading(path: string): Call {
    return { method: 'GET', path, cost: 1, reads: true, waits: false };
  }
}

/** How long a question may be in the queue of the robot by default. */
const queuedSDefault = 120;

interface WaitArgs {
  timeout_s?: number;
  whole?: boolean;
  overflow?: string;
  detach?: boolean;
  queue?: boolean;
  expires_s?: number;
}

/** Returns how long a person may take to answer, ms; 0 for actions that do not wait. */
export function waitMsOf(name: string, args: object): number {
  const { whole, overflow, detach, queue, expires_s: expiresS = queuedSDefault, ...more } = args as WaitArgs;
  const { timeout_s: timeoutS = whole === true && overflow === 'pages' ? pagesTimeoutSMax : timeoutSDefault } = more;
  return waits.has(name) && detach !== true ? (timeoutS + (queue === true ? expiresS : 0)) * 1000 : 0;
}

export function speakMsOf(name: string): number {
  return name === 'speak' ? speakMs : 0;
}
