/**
 * `subscriptions/listen` of the revision of 2026-07-28: the request itself is the stream, so that a server without sessions can serve it. Clients of 2025
 * subscribe with one request and get notifications on another connection, which would need a session.
 */
import { ApiError, isObject } from '@perch/schema';
import type { Admission } from '../../auth/admission.js';
import { ClientGone } from '../../calls/failures.js';
import type { OpenCalls } from '../../calls/open-calls.js';
import { OpenStreams } from '../../events/open-streams.js';
import type { Exchange } from '../../http/exchange.js';
import type { StreamEnd } from '../../http/sse/sse-connection.js';
import type { RobotStates } from '../../robots/robot-states.js';
import { errorText, rpcCodes, type RpcRequest } from '../message.js';
import { parseRobotUri, type RobotResource } from './robot-uri.js';
import { UpdateStream } from './update-stream.js';

/** With these bounds the streams of a key read at most as many robots a second as its rate limit has calls. */
const streamsMax = 2;
const robotsMax = 10;
const urisMax = 2 * robotsMax;

export interface SubscriptionsOptions {
  admission: Admission;
  states: Pick<RobotStates, 'read'>;
  openCalls: OpenCalls;
  ended: (why: StreamEnd) => void;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #openStreams: OpenStreams;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    const refusal = `This key already has ${streamsMax} open subscriptions at this instance. Close one first.`;
    this.#openStreams = new OpenStreams({ openCalls: options.openCalls, ofKey: { max: streamsMax, refusal } });
  }

  /** @throws {ApiError} unauthorized, before a response is sent; ClientGone */
  async listen(exchange: Exchange, { id, params }: RpcRequest): Promise<void> {
    const uris = urisIn(params['notifications']);
    if (uris === null || uris.length > urisMax) {
      exchange.code = 'bad_argument';
      const problem = uris === null ? 'must be an object, and resourceSubscriptions in it a list of URIs' : `takes at most ${urisMax} URIs`;
      return exchange.answer(200, errorText(id, rpcCodes.invalidParams, `Invalid params: notifications ${problem}.`));
    }
    try {
      await this.#serve(exchange, id, uris);
    } catch (error) {
      if (error instanceof ClientGone || !(error instanceof ApiError) || error.code === 'unauthorized') throw error;
      exchange.code = error.code;
      exchange.answer(200, errorText(id, rpcCodes.refused, error.message, { code: error.code, request_id: exchange.requestId }));
    }
  }

  async #serve(exchange: Exchange, id: RpcRequest['id'], uris: readonly string[]): Promise<void> {
    const { admission, states, ended } = this.#options;
    const { authorization } = exchange.request.headers;
    exchange.action = 'state';
    const key = await admission.admit(authorization, null, 0, exchange);
    const resources = await this.#reachable(exchange, uris);
    exchange.action = 'events_stream';
    // A stream that has begun sends no headers.
    const unsent = { setHeader: () => {}, caller: null, action: 'state' as const };
    const stream = new UpdateStream({
      id,
      resources,
      stateOf: async (robot) => {
        await admission.admit(authorization, robot, 0, unsent);
        return states.read(key.account, robot);
      },
      ended,
    });
    await this.#openStreams.place(key, exchange.signal, async (signal) => {
      await stream.prepare();
      await this.#openStreams.run(stream, exchange, signal, (response) => {
        stream.begin(response);
        if (resources.length === 0) stream.end(null);
      });
    });
  }

  /** Returns the resources that exist for the key: the acknowledgement names them. Each robot costs one action. */
  async #reachable(exchange: Exchange, uris: readonly string[]): Promise<RobotResource[]> {
    const wanted = uris.map(parseRobotUri).filter((resource) => resource !== null);
    const reached = new Set<string>();
    for (const robot of new Set(wanted.map((resource) => resource.robot))) {
      try {
        await this.#options.admission.admit(exchange.request.headers.authorization, robot, 1, exchange);
        reached.add(robot);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'unknown_robot')) throw error;
      }
    }
    return wanted.filter(({ robot }) => reached.has(robot));
  }
}

/** Returns the URIs of a subscription filter, each once; other kinds of notifications never occur. @returns null for a malformed filter */
function urisIn(filter: unknown): string[] | null {
  if (!isObject(filter)) return null;
  const { resourceSubscriptions: uris = [] } = filter;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return null;
  return [...new Set(uris)];
}
