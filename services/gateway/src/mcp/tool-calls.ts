/** Failures become results that say what to do next, except for an invalid key or a closed connection, which are HTTP errors. */
import type { Logger, RequestAction } from '@perch/runtime';
import { ApiError, groupWaits, limits, sceneWaits, validateAnswerTool, validateGroupTool, validateRobotListTool, type Tool } from '@perch/schema';
import { isRobotId, type AdmittedKey, type Store } from '@perch/store';
import type { Actions } from '../actions/actions.js';
import type { Admission } from '../auth/admission.js';
import { Call } from '../calls/call.js';
import { asApiError, ClientGone } from '../calls/failures.js';
import { noteFailure } from '../http/errors.js';
import type { GroupCalls } from '../groups/group-calls.js';
import type { Exchange } from '../http/exchange.js';
import { CallCancelled } from './cancellation-listener.js';
import type { ScreenReader } from '../media/screen-reader.js';
import type { RobotListReader } from '../robots/robot-list-reader.js';
import type { DetachedReads } from '../waits/detached-reads.js';
import { ChosenRobot } from './chosen-robot.js';
import { screenImage } from './screen-image.js';
import { shortState } from './short-state.js';
import { failed, succeeded, type ToolResult } from './tool-result.js';

export interface ToolCall {
  exchange: Exchange;
  tool: Tool;
  args: Record<string, unknown>;
  /** The client sent a progress token: it waits for as long as it receives progress. */
  progress: boolean;
  /** Called after admission, before the action starts; returns the signal that aborts the call. Null: only the exchange's signal aborts it. */
  onAdmitted: ((key: AdmittedKey) => AbortSignal) | null;
}

/** The robot as a call names it: by its id or by its name; neither: the call names none. */
interface Named {
  id: string | null;
  name: string | null;
}

export interface ToolCallsOptions {
  store: Pick<Store, 'clock'>;
  actions: Actions;
  robotList: RobotListReader;
  screen: ScreenReader;
  admission: Admission;
  groups: Pick<GroupCalls, 'run'>;
  waits: DetachedReads;
  log: Logger;
  /** When a question of a client without progress outlives its call, from its arrival. Default: 45 s, as clients end a call after 60 s. */
  pendingAfterMs?: number | undefined;
}

export class ToolCalls {
  readonly #store: ToolCallsOptions['store'];
  readonly #actions: Actions;
  readonly #robotList: RobotListReader;
  readonly #screen: ScreenReader;
  readonly #admission: Admission;
  readonly #groups: ToolCallsOptions['groups'];
  readonly #waits: DetachedReads;
  readonly #log: Logger;
  readonly #pendingAfterMs: number;
  readonly #chosenRobot: ChosenRobot;

  constructor({ store, actions, robotList, screen, admission, groups, waits, log, pendingAfterMs }: ToolCallsOptions) {
    this.#store = store;
    this.#actions = actions;
    this.#robotList = robotList;
    this.#screen = screen;
    this.#admission = admission;
    this.#groups = groups;
    this.#waits = waits;
    this.#log = log;
    this.#pendingAfterMs = pendingAfterMs ?? limits.wait.pendingAfterS * 1000;
    this.#chosenRobot = new ChosenRobot(robotList);
  }

  /** @throws {ApiError} unauthorized; ClientGone, CallCancelled */
  async run({ exchange, tool, args, progress, onAdmitted }: ToolCall): Promise<ToolResult> {
    const { authorization } = exchange.request.headers;
    const { robot, ...rest } = args;
    const named: Named = { id: null, name: null };
    if (typeof robot === 'string') named[isRobotId(robot) ? 'id' : 'name'] = robot;
    exchange.action = measuredAs(tool);
    try {
      if (tool.action === 'group') return await this.#group({ exchange, tool, args, progress, onAdmitted });
      if (tool.action === 'scene') return await this.#scene({ exchange, tool, args, progress, onAdmitted }, rest, named);
      const key = await this.#admission.admit(authorization, named.id, 1, exchange);
      const signal = onAdmitted?.(key) ?? null;
      const known = tool.action === null || tool.action === 'answer' ? null : await this.#known(key, named);
      rejectInvalid(tool, args);
      if (tool.action === null) return succeeded(tool, { ok: true, ...(await this.#robotList.page(key, validateRobotListTool(args))) }, null);
      if (tool.action === 'answer') return succeeded(tool, await this.#answer(exchange, args, signal), null);
      const pends = tool.waits && !progress && args['detach'] !== false;
      const call = this.#call(exchange, key, known ?? (await this.#chosenRobot.only(key)), signal, pends);
      if (tool.action === 'state') return await this.#state(call, tool, rest);
      return succeeded(tool, await (tool.action === 'stop' ? this.#actions.stop(call, rest) : this.#actions.run(tool.action, call, rest)), null);
    } catch (error) {
      if (error instanceof ClientGone || error instanceof CallCancelled) throw error;
      const failure = asApiError(error);
      if (failure.code === 'unauthorized') throw failure;
      noteFailure(exchange, failure, error, this.#log);
      return failed(failure, exchange.requestId);
    }
  }

  /** The cost of a scene depends on its arguments, so it is charged after validation; a rejected scene costs one. */
  async #scene({ exchange, tool, args, onAdmitted }: ToolCall, rest: Record<string, unknown>, named: Named): Promise<ToolResult> {
    const charge = (robot: string | null, cost: number): Promise<AdmittedKey> =>
      this.#admission.admit(exchange.request.headers.authorization, robot, cost, exchange);
    const key = await charge(named.id, 0);
    const signal = onAdmitted?.(key) ?? null;
    let robot: string;
    try {
      const known = await this.#known(key, named);
      rejectInvalid(tool, args);
      robot = known ?? (await this.#chosenRobot.only(key));
    } catch (error) {
      await charge(named.id, 1);
      throw error;
    }
    const call = this.#call(exchange, key, robot, signal);
    return succeeded(tool, await this.#actions.scene(call, rest, (cost) => charge(robot, cost)), null);
  }

  /** The cost is one action for each robot, or one for a call that is rejected. */
  async #group({ exchange, tool, args, progress, onAdmitted }: ToolCall): Promise<ToolResult> {
    const charge = (cost: number): Promise<AdmittedKey> => this.#admission.admit(exchange.request.headers.authorization, null, cost, exchange);
    const key = await charge(0);
    const cancelled = onAdmitted?.(key) ?? null;
    let group: ReturnType<typeof validateGroupTool>;
    try {
      rejectInvalid(tool, args);
      group = validateGroupTool(args);
    } catch (error) {
      await charge(1);
      throw error;
    }
    const { label, action, args: body = {}, answers = null } = group;
    const pends = groupWaits(args) && !progress && body['detach'] !== false;
    const call = { exchange, key, label, action, body, answers, idempotencyKey: null, cancelled, charge };
    return succeeded(tool, await this.#groups.run({ ...call, ...(pends ? { pendingAfterMs: this.#pendingAfterMs } : {}) }), null);
  }

  /** Returns the id of the robot that a call names. The robot is found before the arguments are checked, as one that is named by its id. */
  async #known(key: AdmittedKey, { id, name }: Named): Promise<string | null> {
    return name === null ? id : this.#chosenRobot.named(key, name);
  }

  async #answer(exchange: Exchange, args: Record<string, unknown>, cancelled: AbortSignal | null): Promise<object> {
    const { wait, seconds } = validateAnswerTool(args);
    const { authorization } = exchange.request.headers;
    const { place, key } = await this.#waits.reach(wait, (robot) => this.#admission.admit(authorization, robot, 0, exchange));
    const { account, keyHash, guest = null } = key;
    return this.#waits.read(place, { account, keyHash, guest, signal: cancelled ?? exchange.signal, time: exchange.time }, seconds);
  }

  #call(exchange: Exchange, key: AdmittedKey, robot: string, signal: AbortSignal | null, pends = false): Call {
    exchange.robotNamed = robot;
    const cancelled = signal === null ? null : { signal };
    const keyCheck = { at: performance.now() };
    const pending = pends ? { pendingAfterMs: this.#pendingAfterMs } : {};
    return new Call({ exchange, key, robot, keyCheck, arrivedAt: this.#store.clock.now(), cancelled, effects: null, ...pending });
  }

  async #state(call: Call, tool: Tool, { screen, whole, ...args }: Record<string, unknown>): Promise<ToolResult> {
    for (const [name, value] of Object.entries({ screen, whole }))
      if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, 'true or false');
    const state = await this.#actions.run('state', call, args);
    const answer = whole === true ? state : shortState(state);
    return succeeded(tool, answer, screen === true ? await screenImage(this.#screen, call) : null);
  }
}

function measuredAs({ action }: Tool): RequestAction {
  if (action === 'group') return 'groups';
  if (action === 'answer') return 'waits';
  return action ?? 'robots';
}

/** Whether a call may stay open until a person acts or an event occurs. @param args unchecked */
export function mayWait({ action, waits }: Tool, args: Record<string, unknown>): boolean {
  const { seconds } = args;
  if (action === 'group') return groupWaits(args);
  return waits || (action === 'events' && typeof seconds === 'number' && seconds > 0) || (action === 'scene' && sceneWaits(args));
}

/** How long a call may wait by its arguments, in seconds; null if they do not say. @param args unchecked */
export function longestWaitS({ action, waits }: Tool, args: Record<string, unknown>): number | null {
  const { actions } = args;
  const last: unknown = action === 'scene' && Array.isArray(actions) ? actions.at(-1) : args;
  const { timeout_s: timeoutS, seconds } = (last ?? {}) as Record<string, unknown>;
  const said = action === 'answer' || action === 'events' ? seconds : timeoutS;
  if (typeof said === 'number') return said;
  if (action === 'answer') return limits.wait.toolReadS;
  return waits || action === 'scene' ? limits.wait.timeoutSDefault : null;
}

/** Over HTTP, `state` and `events` ignore unknown parameters; a tool rejects them, so that an agent notices its mistake. */
function rejectInvalid({ definition: { name, inputSchema } }: Tool, args: Record<string, unknown>): void {
  for (const arg in args) {
    if (Object.hasOwn(inputSchema.properties, arg)) continue;
    const known = Object.keys(inputSchema.properties).join(', ');
    const field = shortened(arg);
    throw new ApiError('bad_argument', `${field}: is not an argument of ${name}; it takes ${known === '' ? 'none' : known}`, { field });
  }
  if (args['robot'] !== undefined && typeof args['robot'] !== 'string') throw wrongType('robot', 'a string');
}

function shortened(name: string): string {
  if (name === '') return '""';
  return name.length > 40 ? `${name.slice(0, 40)}...` : name;
}

function wrongType(field: string, type: string): ApiError {
  return new ApiError('bad_argument', `${field}: must be ${type}`, { field });
}
