/** A client for the robots of a group: one call acts on all of them at the same time. */
import type { Caller } from './caller.js';
import { pathPart } from './checked-id.js';
import type { CallOptions } from './options.js';
import { speakMsOf, waitMsOf } from './robot-client.js';
import type { AnswerByAction, ArgumentsByAction, Failure, GroupAnswer, StopAnswer } from './types.generated.js';

export type GroupAction = keyof AnswerByAction | 'stop';
export type GroupArguments<A extends GroupAction> = A extends keyof ArgumentsByAction ? ArgumentsByAction[A] : Record<string, never>;
export type AnswerOf<A extends GroupAction> = A extends keyof AnswerByAction ? AnswerByAction[A] : StopAnswer;

export interface GroupOptions extends CallOptions {
  /**
   * For ask, menu and clickmap: `first` ends the call with the first answer, which removes the questions of the other robots; `all` (default) ends it
   * when each robot has ended its own.
   */
  answers?: 'first' | 'all' | undefined;
}

export type GroupResult<A extends GroupAction> = Omit<GroupAnswer, 'robots'> & { robots: ({ robot: string } & (AnswerOf<A> | Failure))[] };

const reads: ReadonlySet<string> = new Set(['state', 'events']);

export class GroupClient {
  /** `key=value`, or `all`. */
  readonly label: string;
  readonly #caller: Caller;
  readonly #path: string;

  constructor(caller: Caller, label: string) {
    this.label = label;
    this.#path = `/v1/groups/${pathPart(label)}`;
    this.#caller = caller;
  }

  /**
   * Performs one action on every robot of the group (POST /v1/groups/{label}/{action}). It counts for as many actions as the group has robots, up to
   * 100. An Idempotency-Key applies to the call of each robot.
   * @returns one answer for each robot; the failure of one, such as `robot_offline`, is its answer
   * @throws {PerchError} the service refused the whole call: `not_found` if no robot has the label @throws the signal's reason if it is aborted
   */
  act<A extends GroupAction>(action: A, args: GroupArguments<A>, { answers, ...options }: GroupOptions = {}): Promise<GroupResult<A>> {
    const waitMs = waitMsOf(action, args);
    const { seconds = 0 } = args as { seconds?: number };
    const eventsMs = action === 'events' ? seconds * 1000 : 0;
    const path = `${this.#path}/${action}`;
    return this.#caller.json(
      {
        method: 'POST',
        path: answers === undefined ? path : `${path}?answers=${answers}`,
        body: args,
        // The number of robots is known to the service only, whose answer says how many actions are left.
        cost: 1,
        reads: reads.has(action),
        waits: waitMs > 0,
        promises: { robots: 'array' },
        moreMs: waitMs + eventsMs + speakMsOf(action),
      },
      options,
    );
  }
}
