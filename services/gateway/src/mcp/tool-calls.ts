/** Failures become results that say what to do next, except for an invalid key or a closed connection, which are HTTP errors. */
import type { Logger, RequestAction } from '@perch/runtime';
import {
  ApiError,
  askTimeoutS,
  grantableOf,
  groupWaits,
  isObject,
  limits,
  sceneWaits,
  scopesOf,
  validateAnswerTool,
  validateGroupTool,
  validateRobotListTool,
  type Tool,
  type Robot,
  mainEventsMax,
  mainReadings,
  wholeStateFields,
  type RobotEvent,
  type RobotState,
} from '@perch/schema';
import { isRobotId, type AdmittedKey, type Store } from '@perch/store';
import type { Actions } from '../actions/actions.js';
import type { Admission } from '../auth/admission.js';
import { Call, type Pending } from '../calls/call.js';
import type { KeyValidity } from '../calls/key-validity.js';
import { asApiError, ClientGone } from '../calls/failures.js';
import { noteFailure } from '../http/errors.js';
import type { GroupCalls } from '../groups/group-calls.js';
import type { Exchange } from '../http/exchange.js';
import { CallCancelled } from './cancellation-listener.js';
import type { ScreenReader } from '../media/screen-reader.js';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';
import type { WaitReader } from '../waits/wait-reader.js';
import { nextSteps } from './next-steps.js';
import { failed, succeeded, type ToolResult, type Image } from './tool-result.js';
import { LRUCache } from 'lru-cache';

export interface ToolCall {
  exchange: Exchange;
  tool: Tool;
  args: Record<string, unknown>;
  /** Arguments that were read from a text, which the result names. */
  read: readonly string[];
  /** Aborts when a time limit of the client ended the call. */
  givenUp?: AbortSignal;
  /** A missing scope of an access token is thrown once, so that its client asks the user for it. */
  stepsUp?: true;
  /** Called with the wait of a question once it is open. */
  onOpened?: (wait: string) => void;
  /** Called after admission, before the action starts; returns the signal that aborts the call. Null: only the exchange's signal aborts it. */
  onAdmitted: ((key: AdmittedKey) => AbortSignal) | null;
}

/** The robot as a call names it: by its id or by its name; neither: the call names none. */
interface RobotName {
  id: string | null;
  name: string | null;
}

export interface ToolCallsOptions {
  store: Pick<Store, 'clock' | 'detachedWaits' | 'grants'>;
  keyValidity: Pick<KeyValidity, 'ownerOf'>;
  actions: Actions;
  robotList: RobotListReader;
  screen: ScreenReader;
  admission: Admission;
  groups: Pick<GroupCalls, 'run'>;
  waits: WaitReader;
  log: Logger;
  /** When a question outlives its call, from its arrival. Default: 45 s, as clients end a call after 60 s, whether or not they receive progress. */
  pendingAfterMs?: number | undefined;
}

export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #chosenRobot: ChosenRobot;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#chosenRobot = new ChosenRobot(options.robotList);
  }

  /** @throws {ApiError} unauthorized, scope_missing (`stepsUp`); ClientGone, CallCancelled */
  async run(toolCall: ToolCall): Promise<ToolResult> {
    const result = await this.#run(toolCall);
    if (toolCall.read.length > 0) result.answer = { ...result.answer, arguments_read: toolCall.read };
    return result;
  }

  async #run(toolCall: ToolCall): Promise<ToolResult> {
    const { exchange, tool, args, onAdmitted } = toolCall;
    const { robot, ...rest } = args;
    const named: RobotName = { id: null, name: null };
    if (typeof robot === 'string') named[isRobotId(robot) ? 'id' : 'name'] = robot;
    exchange.action = measuredAs(tool);
    try {
      if (tool.action === 'group') return await this.#group(toolCall);
      if (tool.action === 'scene') return await this.#scene(toolCall, rest, named);
      const key = await this.#options.admission.admit(exchange, named.id, 1);
      const signal = onAdmitted?.(key) ?? null;
      const known = tool.action === null || tool.action === 'answer' ? null : await this.#known(key, named);
      rejectInvalid(tool, args);
      if (tool.action === null) return succeeded(tool, { ok: true, ...(await this.#options.robotList.page(key, validateRobotListTool(args))) });
      if (tool.action === 'answer') return succeeded(tool, await this.#answer(exchange, key, args, signal));
      const call = this.#call(toolCall, key, known ?? (await this.#chosenRobot.only(key, args['robot'] !== null)), signal);
      if (tool.action === 'state') return await this.#state(call, tool, rest);
      if (tool.action === 'events') return succeeded(tool, await this.#events(call, rest));
      return succeeded(
        tool,
        await (tool.action === 'stop' ? this.#options.actions.stop(call, rest) : this.#options.actions.run(tool.action, call, rest)),
      );
    } catch (error) {
      if (error instanceof ClientGone || error instanceof CallCancelled) throw error;
      const failure = asApiError(error);
      if (failure.code === 'unauthorized' || (failure.code === 'scope_missing' && (await this.#mayStepUp(toolCall)))) throw failure;
      noteFailure(exchange, failure, error, this.#options.log);
      return failed(tool, failure, exchange.requestId);
    }
  }

  async #mayStepUp({ exchange, stepsUp }: ToolCall): Promise<boolean> {
    const { caller, action } = exchange;
    if (stepsUp !== true || caller === null) return false;
    // In doubt the refusal is a result, which says what is missing.
    return this.#options.store.grants.mayStepUp(caller.keyHash, grantableOf(scopesOf(action))).catch(() => false);
  }

  /** The cost of a scene depends on its arguments, so it is charged after validation; a rejected scene costs one. */
  async #scene(toolCall: ToolCall, rest: Record<string, unknown>, named: RobotName): Promise<ToolResult> {
    const { exchange, tool, args, onAdmitted } = toolCall;
    const charge = (robot: string | null, cost: number): Promise<AdmittedKey> => this.#options.admission.admit(exchange, robot, cost);
    const key = await charge(named.id, 0);
    const signal = onAdmitted?.(key) ?? null;
    let robot: string;
    try {
      const known = await this.#known(key, named);
      rejectInvalid(tool, args);
      robot = known ?? (await this.#chosenRobot.only(key, args['robot'] !== null));
    } catch (error) {
      await charge(named.id, 1);
      throw error;
    }
    const call = this.#call(toolCall, key, robot, signal);
    return succeeded(tool, await this.#options.actions.scene(call, rest, (cost) => charge(robot, cost)));
  }

  /** The cost is one action for each robot, or one for a call that is rejected. */
  async #group(toolCall: ToolCall): Promise<ToolResult> {
    const { exchange, tool, args, onAdmitted } = toolCall;
    const charge = (cost: number): Promise<AdmittedKey> => this.#options.admission.admit(exchange, null, cost);
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
    const call = { exchange, key, label, action, body, answers, idempotencyKey: null, cancelled, advice: nextSteps, charge };
    const { answer, untrusted } = await this.#options.groups.run({ ...call, ...this.#pendingOf(toolCall) });
    return succeeded(tool, answer, null, untrusted);
  }

  /** Returns the id of the robot that a call names. The robot is found before the arguments are checked, as one that is named by its id. */
  async #known(key: AdmittedKey, { id, name }: RobotName): Promise<string | null> {
    return name === null ? id : this.#chosenRobot.named(key, name);
  }

  async #answer(exchange: Exchange, key: AdmittedKey, args: Record<string, unknown>, cancelled: AbortSignal | null): Promise<object> {
    const { wait, seconds } = validateAnswerTool(args);
    const newest = wait ?? (await this.#newestOf(key));
    const { ref, reader } = await this.#options.waits.reach(newest, (robot) => this.#options.admission.admit(exchange, robot, 0));
    return this.#options.waits.read(ref, { ...reader, signal: cancelled ?? exchange.signal, time: exchange.time }, seconds);
  }

  /** @throws {ApiError} not_found: this key has asked nothing that is kept */
  async #newestOf(key: AdmittedKey): Promise<string> {
    const owner = await this.#options.keyValidity.ownerOf(key, 'before the wait was read');
    const newest = await this.#options.store.detachedWaits.newestOf(owner);
    if (newest === null) throw new ApiError('not_found', 'wait: this key has asked no question whose answer is kept.', { field: 'wait' });
    return newest;
  }

  #call(toolCall: ToolCall, key: AdmittedKey, robot: string, signal: AbortSignal | null): Call {
    const { exchange } = toolCall;
    exchange.robotNamed = robot;
    const cancelled = signal === null ? null : { signal };
    const keyCheck = { at: performance.now() };
    const arrivedAt = this.#options.store.clock.now();
    return new Call({ exchange, key, robot, keyCheck, arrivedAt, cancelled, effects: null, ...this.#pendingOf(toolCall) });
  }

  #pendingOf({ tool, args, givenUp, onOpened: opened }: ToolCall): { pending?: Pending } {
    return asks(tool, args)
      ? { pending: { at: this.#options.store.clock.now() + (this.#options.pendingAfterMs ?? limits.wait.pendingAfterS * 1000), givenUp, opened } }
      : {};
  }

  async #events(call: Call, args: Record<string, unknown>): Promise<object> {
    const answer = await this.#options.actions.run('events', call, args);
    return { ...answer, events: answer.events.map(shortEvent) };
  }

  async #state(call: Call, tool: Tool, { screen, whole, ...args }: Record<string, unknown>): Promise<ToolResult> {
    for (const [name, value] of Object.entries({ screen, whole }))
      if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, 'true or false');
    const state = await this.#options.actions.run('state', call, args);
    const answer = whole === true ? state : shortState(state);
    return succeeded(tool, answer, screen === true ? await screenImage(this.#options.screen, call) : null);
  }
}

function measuredAs({ action }: Tool): RequestAction {
  if (action === 'group') return 'groups';
  if (action === 'answer') return 'waits';
  return action ?? 'robots';
}

/** Returns whether a call asks a question that may outlive it. @param args unchecked */
export function asks({ action, waits }: Tool, args: Record<string, unknown>): boolean {
  if (action === 'group') return groupWaits(args) && !isAttached(args['args']);
  if (action === 'answer') return false;
  if (action !== 'scene') return waits && !isAttached(args);
  const { actions } = args;
  const last: unknown = Array.isArray(actions) ? actions.at(-1) : null;
  return sceneWaits(args) && !isAttached(last);
}

function isAttached(args: unknown): boolean {
  return isObject(args) && args['detach'] === false;
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
  return waits || action === 'scene' ? askTimeoutS(last ?? {}) : null;
}

/** Over HTTP, `state` and `events` ignore unknown parameters; a tool rejects them, so that an agent notices its mistake. */
function rejectInvalid({ definition: { name, inputSchema } }: Tool, args: Record<string, unknown>): void {
  const unknown = Object.keys(args).filter((arg) => !Object.hasOwn(inputSchema.properties, arg));
  if (unknown.length > 0) {
    const known = Object.keys(inputSchema.properties).join(', ');
    const fields = unknown.slice(0, unknownNamedMax).map(shortened);
    // A model that invents a name has often meant one that is required.
    const missing = ((inputSchema['required'] ?? []) as readonly string[]).filter((arg) => !Object.hasOwn(args, arg));
    const are = fields.length === 1 ? 'is not an argument' : 'are not arguments';
    const also = missing.length === 0 ? '' : `, and needs ${missing.join(' and ')}`;
    throw new ApiError('bad_argument', `${fields.join(', ')}: ${are} of ${name}; it takes ${known === '' ? 'none' : known}${also}`, {
      field: fields[0]!,
    });
  }
  if (args['robot'] !== undefined && args['robot'] !== null && typeof args['robot'] !== 'string') throw wrongType('robot', 'a string');
}

const unknownNamedMax = 5;

function shortened(name: string): string {
  if (name === '') return '""';
  return name.length > 40 ? `${name.slice(0, 40)}...` : name;
}

function wrongType(field: string, type: string): ApiError {
  return new ApiError('bad_argument', `${field}: must be ${type}`, { field });
}

/** Cache lifetime of a result, ms: it may be stale for this long after a robot was added, connected or disconnected. */
const cachedMs = 1_000;
const listedMax = 20;
/** Robots are counted up to this number; beyond it, the error message says "more than". */
const countedMax = 200;

/** A longer text is the name of no robot. */
const nameCharsMax = 200;

type CallersKey = Pick<AdmittedKey, 'account' | 'keyHash' | 'robots'>;

interface RobotMatches {
  count: number;
  online: number;
  first: Robot[];
  firstOnline: Robot[];
  more: boolean;
}

/** Selects the robot of a tool call that gives no id: the one with the name that it gives, the key's only robot, or its only robot that is online. */
export class ChosenRobot {
  readonly #robots: RobotListReader;
  readonly #cache = new LRUCache<string, string | ApiError>({ max: 10_000, ttl: cachedMs });

  constructor(robots: RobotListReader) {
    this.#robots = robots;
  }

  /** @throws {ApiError} unknown_robot, bad_argument if several robots have the name */
  async named(key: CallersKey, name: string): Promise<string> {
    const cacheKey = `${key.keyHash} ${name.slice(0, nameCharsMax)}`;
    const cached = this.#cache.get(cacheKey);
    if (typeof cached === 'string') return cached;
    const wanted = name.toLowerCase();
    const found: Robot[] = [];
    if (name.length <= nameCharsMax)
      for await (const slice of this.#robots.slices(key, {})) found.push(...slice.filter((robot) => robot.name.toLowerCase() === wanted));
    const [first, second] = found;
    if (first === undefined) throw new ApiError('unknown_robot', 'This API key has no robot with this id or name.');
    if (second !== undefined) {
      const listed = found.slice(0, listedMax).map(inList).join(', ');
      const message = `robot: ${found.length} robots have this name; give the id of one: ${listed}`;
      throw new ApiError('bad_argument', message, { field: 'robot', untrusted: ['error'] });
    }
    this.#cache.set(cacheKey, first.id);
    return first.id;
  }

  /** @param online whether the only one that is online counts, too @throws {ApiError} bad_argument */
  async only(key: CallersKey, online = true): Promise<string> {
    if (!online) return this.#single(key);
    const cached = this.#cache.get(key.keyHash);
    if (cached instanceof ApiError) throw cached;
    if (cached !== undefined) return cached;
    const found = await this.#find(key);
    const only = found.count === 1 ? found.first : found.online === 1 ? found.firstOnline : [];
    if (only.length === 1) {
      this.#cache.set(key.keyHash, only[0]!.id);
      return only[0]!.id;
    }
    const error = ambiguous(found);
    // Don't read a long list again for each such call.
    if (found.count > listedMax) this.#cache.set(key.keyHash, error);
    throw error;
  }

  async #single(key: CallersKey): Promise<string> {
    const found = await this.#find(key);
    if (found.count !== 1) throw ambiguous(found);
    return found.first[0]!.id;
  }

  async #find(key: RobotReach): Promise<RobotMatches> {
    const found: RobotMatches = { count: 0, online: 0, first: [], firstOnline: [], more: false };
    for await (const slice of this.#robots.slices(key, {})) {
      const online = slice.filter((robot) => robot.online);
      found.count += slice.length;
      found.online += online.length;
      found.first.push(...slice.slice(0, listedMax - found.first.length));
      found.firstOnline.push(...online.slice(0, listedMax - found.firstOnline.length));
      found.more = found.count > countedMax && found.online > 1;
      if (found.more) break;
    }
    return found;
  }
}

function ambiguous({ count, online, first, firstOnline, more }: RobotMatches): ApiError {
  if (count === 0) return new ApiError('bad_argument', 'robot: this key has no robot yet.', { field: 'robot' });
  const listed = [...firstOnline, ...first.filter((robot) => !robot.online)].slice(0, listedMax).map(inList).join(', ');
  const others = count > listedMax ? `, and ${more ? '' : `${count - listedMax} `}more, which robot_list has` : '';
  const several = more
    ? `this key has more than ${countedMax} robots, several of them online`
    : `this key has ${count} robots, ${online === 0 ? 'none' : online} of them online`;
  return new ApiError('bad_argument', `robot: ${several}; name one by its id or name: ${listed}${others}`, { field: 'robot', untrusted: ['error'] });
}

function inList({ id, name, model, online }: Robot): string {
  return `${id} (${[name === id ? '' : JSON.stringify(name), model, online ? 'online' : 'offline'].filter((word) => word !== '').join(', ')})`;
}

const withinMs = 5_000;

/** @returns null if the screen cannot be shown: the robot is offline, or its picture is no longer stored or was not drawn in time */
async function screenImage(screen: Pick<ScreenReader, 'read'>, { account, robot, signal, span }: Call): Promise<Image | null> {
  const late = AbortSignal.timeout(withinMs);
  try {
    const { format, bytes } = await screen.read({ account, robot, span, signal: AbortSignal.any([signal, late]) });
    return { data: bytes.toString('base64'), mimeType: `image/${format}` };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError || error === late.reason) return null;
    throw error;
  }
}

// States and events as agents get them unless they ask for the whole state: all that a robot reports is about 3 KB, most of which no agent needs, and an
// infrared code of a remote has up to 225 lengths, which no model can use.

/** Infrared lengths in an event that has something else to recognize the button by. */
const rawMax = 16;

function shortState(state: RobotState): object {
  const omitted: readonly string[] = wholeStateFields;
  return {
    ...Object.fromEntries(Object.entries(state).filter(([name]) => !omitted.includes(name))),
    readings: Object.fromEntries(Object.entries(state.readings).filter(([name]) => mainReadings.includes(name))),
    events: state.events.slice(-mainEventsMax).map(shortEvent),
  };
}

/** Returns the event with `raw` cut to its first lengths, and named in `truncated`, where `code` or `address` is beside it. */
function shortEvent(event: RobotEvent): RobotEvent {
  const { data } = event;
  if (event.name !== 'remote') return event;
  const { raw, code, address } = data;
  if (!Array.isArray(raw) || raw.length <= rawMax || (code === undefined && address === undefined)) return event;
  return { ...event, data: { ...data, raw: raw.slice(0, rawMax), truncated: ['raw'] } };
}
