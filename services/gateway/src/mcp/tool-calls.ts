/** Failures become results that say what to do next, except for an invalid key or a closed connection, which are HTTP errors. */
import type { Logger } from '@perch/runtime';
import { ApiError, sceneWaits, validateRobotListTool, type Tool } from '@perch/schema';
import type { AdmittedKey, Store } from '@perch/store';
import type { Actions } from '../actions/actions.js';
import type { Admission } from '../auth/admission.js';
import { Call } from '../calls/call.js';
import { asApiError, ClientGone } from '../calls/failures.js';
import { noteFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { CallCancelled } from './cancellation-listener.js';
import type { ScreenReader } from '../media/screen-reader.js';
import type { RobotListReader } from '../robots/robot-list-reader.js';
import { OnlyRobot } from './only-robot.js';
import { screenImage } from './screen-image.js';
import { failed, succeeded, type ToolResult } from './tool-result.js';

export interface ToolCall {
  exchange: Exchange;
  tool: Tool;
  args: Record<string, unknown>;
  /** Called after admission, before the action starts; returns the signal that aborts the call. Null: only the exchange's signal aborts it. */
  onAdmitted: ((key: AdmittedKey) => AbortSignal) | null;
}

export interface ToolCallsOptions {
  store: Pick<Store, 'clock'>;
  actions: Actions;
  robotList: RobotListReader;
  screen: ScreenReader;
  admission: Admission;
  log: Logger;
}

export class ToolCalls {
  readonly #store: ToolCallsOptions['store'];
  readonly #actions: Actions;
  readonly #robotList: RobotListReader;
  readonly #screen: ScreenReader;
  readonly #admission: Admission;
  readonly #log: Logger;
  readonly #onlyRobot: OnlyRobot;

  constructor({ store, actions, robotList, screen, admission, log }: ToolCallsOptions) {
    this.#store = store;
    this.#actions = actions;
    this.#robotList = robotList;
    this.#screen = screen;
    this.#admission = admission;
    this.#log = log;
    this.#onlyRobot = new OnlyRobot(robotList);
  }

  /** @throws {ApiError} unauthorized; ClientGone, CallCancelled */
  async run({ exchange, tool, args, onAdmitted }: ToolCall): Promise<ToolResult> {
    const { authorization } = exchange.request.headers;
    const { robot, ...rest } = args;
    const named = typeof robot === 'string' ? robot : null;
    exchange.action = tool.action ?? 'robots';
    try {
      if (tool.action === 'scene') return await this.#scene({ exchange, tool, args, onAdmitted }, rest, named);
      const key = await this.#admission.admit(authorization, named, 1, exchange);
      const signal = onAdmitted?.(key) ?? null;
      rejectInvalid(tool, args);
      if (tool.action === null) return succeeded(tool, { ok: true, ...(await this.#robotList.page(key, validateRobotListTool(args))) }, null);
      const call = this.#call(exchange, key, named ?? (await this.#onlyRobot.select(key)), signal);
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
  async #scene({ exchange, tool, args, onAdmitted }: ToolCall, rest: Record<string, unknown>, named: string | null): Promise<ToolResult> {
    const charge = (robot: string | null, cost: number): Promise<AdmittedKey> =>
      this.#admission.admit(exchange.request.headers.authorization, robot, cost, exchange);
    const key = await charge(named, 0);
    const signal = onAdmitted?.(key) ?? null;
    let robot: string;
    try {
      rejectInvalid(tool, args);
      robot = named ?? (await this.#onlyRobot.select(key));
    } catch (error) {
      await charge(named, 1);
      throw error;
    }
    const call = this.#call(exchange, key, robot, signal);
    return succeeded(tool, await this.#actions.scene(call, rest, (cost) => charge(robot, cost)), null);
  }

  #call(exchange: Exchange, key: AdmittedKey, robot: string, signal: AbortSignal | null): Call {
    exchange.robotNamed = robot;
    const cancelled = signal === null ? null : { signal };
    return new Call({ exchange, key, robot, keyCheck: { at: performance.now() }, arrivedAt: this.#store.clock.now(), cancelled, effects: null });
  }

  async #state(call: Call, tool: Tool, { screen, ...args }: Record<string, unknown>): Promise<ToolResult> {
    if (screen !== undefined && typeof screen !== 'boolean') throw wrongType('screen', 'true or false');
    const answer = await this.#actions.run('state', call, args);
    return succeeded(tool, answer, screen === true ? await screenImage(this.#screen, call) : null);
  }
}

/** Whether a call may stay open until a person acts or an event occurs. @param args unchecked */
export function mayWait({ action, waits }: Tool, args: Record<string, unknown>): boolean {
  const { seconds } = args;
  return waits || (action === 'events' && typeof seconds === 'number' && seconds > 0) || (action === 'scene' && sceneWaits(args));
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
