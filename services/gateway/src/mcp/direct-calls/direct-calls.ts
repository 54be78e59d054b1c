/** Answers tool calls and lists of tools in the exact form that clients send, without the SDK and with the same results. */
import { isObject } from '@perch/schema';
import type { Exchange } from '../../http/exchange.js';
import { errorText, progressTokenOf, responseText, rpcCodes, type RpcRequest } from '../message.js';
import { unknownTool } from '../sdk-server.js';
import { toolByName, toolsResult } from '../server-info.js';
import { mayWait, type ToolCalls } from '../tool-calls.js';
import { readArguments } from '../read-arguments.js';
import { resultText } from '../tool-result.js';
import type { WaitingCalls } from '../waiting-calls.js';
import { eraOf } from './client-form.js';

export class DirectCalls {
  readonly #calls: ToolCalls;
  readonly #waits: WaitingCalls;

  constructor(calls: ToolCalls, waits: WaitingCalls) {
    this.#calls = calls;
    this.#waits = waits;
  }

  /** `admit` checks the key of a call refused before it is charged; null: checked. @returns false if the SDK must answer (invalid, unusual) */
  async call(exchange: Exchange, { id, method, params }: RpcRequest, admit: ((exchange: Exchange) => Promise<unknown>) | null): Promise<boolean> {
    const { name, arguments: given = {} } = params;
    const era = typeof name === 'string' && isObject(given) ? eraOf(exchange.request.headers, { id, method, params }, name) : null;
    if (era === null) return false;
    const tool = toolByName.get(name as string);
    if (tool === undefined) {
      await admit?.(exchange);
      exchange.code = 'bad_argument';
      exchange.answer(200, errorText(id, rpcCodes.invalidParams, unknownTool(name as string)));
      return true;
    }
    const { args, read } = readArguments(tool, given as Record<string, unknown>);
    if (mayWait(tool, args)) await this.#waits.run({ exchange, id, tool, args, read, token: progressTokenOf(params), era });
    else
      exchange.answer(200, responseText(id, resultText(await this.#calls.run({ exchange, tool, args, read, stepsUp: true, onAdmitted: null }), era)));
    return true;
  }

  list(exchange: Exchange, rpc: RpcRequest): boolean {
    const era = rpc.params['cursor'] === undefined ? eraOf(exchange.request.headers, rpc) : null;
    if (era === null) return false;
    exchange.answer(200, responseText(rpc.id, toolsResult[era]));
    return true;
  }
}
