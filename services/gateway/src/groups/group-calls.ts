/** Performs one action on every robot of a group at the same time. The failure of one robot is its answer, and does not concern the others. */
import type { Logger, RequestCode, RequestAction, Span } from '@perch/runtime';
import {
  actionByName,
  ApiError,
  requireScopes,
  scopesWithin,
  validateArgs,
  validateStop,
  type GroupAction,
  type GroupAnswer,
  type GroupAnswers,
  labelProblem,
  limits,
} from '@perch/schema';
import type { AdmittedKey, Store } from '@perch/store';
import { ackedAnswer, isResumable, type Actions } from '../actions/actions.js';
import type { ActivityLog, CallSummary } from '../activity/activity-log.js';
import { Call, type Pending, noteQuestion, type CallNotes, type QuestionOutcome, type ScreenNote, type EffectLog } from '../calls/call.js';
import { asApiError, ClientGone, OtherAnswered } from '../calls/failures.js';
import { failureBody, isServiceFault, noteFailure, type Advice } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { IdempotentCalls } from '../idempotency/idempotent-calls.js';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';
import { ServiceTime } from '../calls/service-time.js';

export interface GroupCall {
  exchange: Exchange;
  key: AdmittedKey;
  label: string;
  action: GroupAction;
  body: unknown;
  /** Null: not given. */
  answers: GroupAnswers | null;
  /** Names the call of each robot; null: none. */
  idempotencyKey: string | null;
  /** When questions outlive the call, with the outcome pending. Absent: they do not, unless they are detached. */
  pending?: Pending | undefined;
  /** Aborts when the call is cancelled other than by a closed connection. */
  cancelled: AbortSignal | null;
  /** `next` of each robot's failure. */
  advice: Advice;
  /** Takes actions from the key's bucket, all or none. @throws {ApiError} */
  charge(this: void, cost: number): Promise<unknown>;
}

export interface GroupCallsOptions {
  store: Pick<Store, 'clock'>;
  actions: Pick<Actions, 'perform' | 'stop'>;
  idempotent: Pick<IdempotentCalls, 'run'>;
  robotList: RobotListReader;
  activity: Pick<ActivityLog, 'ended'>;
  log: Logger;
}

type RobotAnswer = GroupAnswer['robots'][number];

export interface GroupOutcome {
  answer: GroupAnswer;
  /** Fields of failures in the answer that quote a robot, such as `robots[].error`. */
  untrusted: readonly string[];
}

/** Fields of an answer that are null without a tap. */
const tapFields = { ask: ['answer', 'index'], menu: ['item', 'index', 'label'], clickmap: ['region', 'index', 'x', 'y'] } as const;

export class GroupCalls {
  readonly #options: GroupCallsOptions;

  constructor(options: GroupCallsOptions) {
    this.#options = options;
  }

  /** Costs one action for each robot, or one if it is rejected. @throws {ApiError} 400, scope_missing, not_found, errors of `charge`; ClientGone */
  async run(call: GroupCall): Promise<GroupOutcome> {
    const { exchange, key, label, action, body, charge } = call;
    requireScopes(action, scopesWithin([{ action }]), key.scopes);
    let robots: string[];
    let args: object;
    try {
      args = checkedArgs(call, body);
      robots = await membersOf(this.#options.robotList, key, label);
    } catch (error) {
      await charge(1);
      throw error;
    }
    await charge(robots.length);
    exchange.time.ignore();
    const answered = new AbortController();
    let first: string | null = null;
    const untrusted = new Set<string>();
    const answers = await Promise.all(
      robots.map(async (robot) => {
        const answer = await this.#answerOf(call, args, robot, answered.signal, untrusted);
        if (call.answers === 'first' && 'outcome' in answer && answer.outcome === 'answered') {
          first ??= robot;
          answered.abort(new OtherAnswered());
        }
        return answer;
      }),
    );
    const failed = answers.filter(({ ok }) => !ok).length;
    const answer = { ok: true as const, robots: answers, failed, ...(call.answers === 'first' ? { first } : {}) };
    return { answer, untrusted: [...untrusted] };
  }

  async #answerOf(call: GroupCall, args: object, robot: string, answered: AbortSignal, untrusted: Set<string>): Promise<RobotAnswer> {
    const { exchange, action, cancelled } = call;
    const part = new GroupPart(exchange, robot, action);
    let code: RequestCode = 'ok';
    try {
      return { robot, ...(await this.#act(call, args, part, answered)) } as RobotAnswer;
    } catch (error) {
      if (error instanceof ClientGone || cancelled?.aborted === true) {
        code = 'client_closed';
        throw error;
      }
      const failure = asApiError(error);
      code = failure.code;
      if (isServiceFault(code)) noteFailure(exchange, failure, error, this.#options.log);
      for (const part of failure.untrusted) untrusted.add(`robots[].${part}`);
      return { robot, ...failureBody(failure, exchange.requestId, call.advice) };
    } finally {
      this.#options.activity.ended(part, code, performance.now());
    }
  }

  #act(call: GroupCall, args: object, part: GroupPart, answered: AbortSignal): Promise<object> {
    const { exchange, key, action, body, idempotencyKey } = call;
    const checkedAt = performance.now();
    const act = (effects: EffectLog | null): Promise<object> => this.#perform(call, args, part, answered, effects, checkedAt);
    if (idempotencyKey === null || (action !== 'stop' && actionByName.get(action)!.effect.readOnly)) return act(null);
    return this.#options.idempotent.run({
      key: idempotencyKey,
      keyHash: key.keyHash,
      guest: key.guest,
      account: key.account,
      robot: part.robot,
      action,
      body,
      client: exchange,
      onJoin: async () => {},
      onReplay: () => {
        part.replayed = true;
      },
      resumable: isResumable(action),
      acked: ackedAnswer(action),
      act,
    });
  }

  async #perform(
    { exchange, key, action, answers, cancelled, pending }: GroupCall,
    args: object,
    part: GroupPart,
    answered: AbortSignal,
    effects: EffectLog | null,
    checkedAt: number,
  ): Promise<object> {
    const call = new Call({
      exchange: part,
      key,
      robot: part.robot,
      keyCheck: { at: checkedAt },
      arrivedAt: this.#options.store.clock.now(),
      cancelled: { signal: AbortSignal.any([effects?.signal ?? cancelled ?? exchange.signal, answered]) },
      effects,
      // A question that ends with the answer at another robot cannot outlive the call that ends it.
      ...(answers === 'first' ? {} : { pending }),
    });
    try {
      return await (action === 'stop' ? this.#options.actions.stop(call, args) : this.#options.actions.perform(action, call, args));
    } catch (error) {
      if (!(error instanceof OtherAnswered)) throw error;
      noteQuestion(call, { outcome: 'replaced', question: null, answer: null, at: null, tapMs: null });
      return unanswered(action as keyof typeof tapFields);
    }
  }
}

/** @throws {ApiError} as the action itself; bad_argument for `answers` of an action that does not wait */
function checkedArgs({ action, answers }: GroupCall, body: unknown): object {
  if (answers !== null && !(action in tapFields))
    throw new ApiError('bad_argument', `answers: is for ask, menu and clickmap, and not for ${action}`, { field: 'answers' });
  if (action === 'stop') {
    validateStop(body);
    return {};
  }
  const args = validateArgs(action, body);
  if (answers === 'first' && (args as { detach?: boolean }).detach === true)
    throw new ApiError('bad_argument', 'answers: first is not possible with detach, whose questions outlive the call', { field: 'answers' });
  return args;
}

/** Returns the answer of a robot whose question disappeared because another robot of the group was answered first. */
function unanswered(action: keyof typeof tapFields): object {
  const fields = Object.fromEntries(tapFields[action].map((field) => [field, null]));
  return { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, ...fields };
}

/** One robot's part in a call to a group: what its action and the activity need of an exchange. */
class GroupPart implements CallSummary, CallNotes {
  readonly robot: string;
  readonly action: RequestAction;
  readonly requestId: string;
  readonly caller: Exchange['caller'];
  readonly via: Exchange['via'];
  readonly span: Span | null;
  readonly startedAt = performance.now();
  readonly time = new ServiceTime(this.startedAt);
  question: QuestionOutcome | null = null;
  screens: readonly ScreenNote[] = [];
  replayed = false;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, robot: string, action: RequestAction) {
    this.robot = robot;
    this.action = action;
    this.requestId = exchange.requestId;
    this.caller = exchange.caller;
    this.via = exchange.via;
    this.span = exchange.span;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/** The robots of a group: those of a key with a label, or all of its robots. Robots that another account shares are in no group. */
const { robotsMax } = limits.groups;

const everyRobot = 'all';

/** @returns their ids, ascending @throws {ApiError} bad_argument for a malformed label or too many robots, not_found if no robot has the label */
async function membersOf(robotList: RobotListReader, key: RobotReach, label: string): Promise<string[]> {
  const problem = label === everyRobot ? null : labelProblem(label);
  if (problem !== null) throw new ApiError('bad_argument', `label: ${problem}; or ${everyRobot}, for every robot of the key`, { field: 'label' });
  const members: string[] = [];
  for await (const slice of robotList.slices(key, label === everyRobot ? {} : { label: [label] })) {
    members.push(...slice.map(({ id }) => id));
    if (members.length > robotsMax)
      throw new ApiError('bad_argument', `label: more than ${robotsMax} robots of this key are in this group; choose a smaller one`, {
        field: 'label',
      });
  }
  if (members.length > 0) return members;
  throw new ApiError('not_found', label === everyRobot ? 'This key has no robot.' : `No robot of this key has the label ${JSON.stringify(label)}.`);
}
