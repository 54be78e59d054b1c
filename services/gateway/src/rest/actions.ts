/**
 * The REST interface. Its routes are the schema's list of actions and a few others. Every request is admitted first, so that a client without a
 * key learns nothing about paths, methods or robots.
 */
import type { IncomingMessage } from 'node:http';
import { targetOf, type Logger, type RequestAction } from '@perch/runtime';
import {
  actionByName,
  actions,
  ApiError,
  robotsQueryNames,
  validateEventsQuery,
  validateEventsStream,
  validateRobotsQuery,
  type ActionName,
} from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import type { Request } from 'express';
import { performAction, runAction } from '../actions/index.js';
import { runScene } from '../actions/scene.js';
import { runStop } from '../actions/stop.js';
import { admittedForMs, rateLimited } from '../auth/admission.js';
import { Call, type ActionServices } from '../actions/call.js';
import type { Discovery } from '../discovery/discovery.js';
import type { Drain } from '../http/drain.js';
import { ClientGone, sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { badIdempotencyKey, idempotencyHeader, isIdempotencyKey } from '../idempotency/idempotency-key.js';
import type { IdempotentCall } from '../idempotency/idempotent-call.js';
import type { IdempotentCalls } from '../idempotency/idempotent-calls.js';
import type { JsonBodies } from '../http/json-body.js';
import { decoded as decodedOrNull, wrongMethod } from '../http/path.js';
import { RobotListResponses } from './robot-list-response.js';
import { webhookResources } from './webhook-resources.js';
import type { WebhookService } from './webhook-service.js';

export interface RestOptions {
  base: string;
  services: ActionServices;
  admit: Admit;
  idempotent: IdempotentCalls;
  discovery: Discovery;
  webhooks: WebhookService;
  bodies: JsonBodies;
  drain: Drain;
  log: Logger;
}

/** As `Admission.admit`, with the credentials of the request. */
export type Admit = (exchange: Exchange, robot: string | null, cost: number) => Promise<AdmittedKey>;

export interface RestRequest {
  exchange: Exchange;
  key: AdmittedKey;
  /** '' if the path names no robot. */
  robot: string;
  /** Query string without the `?`. */
  query: string;
}

export interface Resource {
  label: RequestAction;
  /** Actions that a call takes from the rate-limit bucket. */
  cost: 0 | 1;
  /** Handlers by method. Each returns the JSON text, or null if it sent the response itself. HEAD is handled as GET; Node omits the body. */
  methods: ReadonlyMap<string, (request: RestRequest) => Promise<string | null>>;
}

export function createRest({
  base,
  services,
  admit,
  idempotent,
  discovery,
  webhooks,
  bodies,
  drain,
  log,
}: RestOptions): (exchange: Exchange) => Promise<void> {
  const robotListResponses = new RobotListResponses(services.robots);
  const pages = new Map<string, Resource>([
    ['robots', getResource('robots', 1, listRobots)],
    ['actions', getResource('actions', 0, async () => discovery.actions())],
    ['openapi.json', getResource('openapi', 0, async ({ exchange }) => discovery.openApi(exchange.request))],
  ]);
  const webhookResource = webhookResources(webhooks, bodies);
  const robotResources = new Map<string, Resource>([
    ['', getResource('state', 1, async (request) => JSON.stringify(await performAction('state', callFor(request), {})))],
    ...actions.map(({ name }) => [name, actionResource(name)] as const),
    ['stop', postResource('stop', (request, body) => runOnce(request, 'stop', body, (call) => runStop(call, body)))],
    ['scene', { label: 'scene', cost: 0, methods: new Map([['POST', postScene]]) }],
  ]);

  async function listRobots({ exchange, key, query }: RestRequest): Promise<null> {
    const wanted = validateRobotsQuery(queryOf(query, robotsQueryNames), new URLSearchParams(query).getAll('label'));
    if (drain.announced) exchange.setHeader('connection', 'close');
    await robotListResponses.send(exchange, key, wanted);
    return null;
  }

  function actionResource(name: ActionName): Resource {
    const reads = actionByName.get(name)!.effect.readOnly;
    const { methods, ...resource } = postResource(name, (request, body) =>
      reads ? runAction(name, callFor(request), body) : runOnce(request, name, body, (call) => runAction(name, call, body)),
    );
    return name === 'events' ? { ...resource, methods: new Map([...methods, ['GET', readEvents]]) } : { ...resource, methods };
  }

  /** @param act performs the action and returns its answer */
  function postResource(label: RequestAction, act: (request: RestRequest, body: unknown) => Promise<object>): Resource {
    const post = async (request: RestRequest): Promise<string> => {
      const admittedAt = performance.now();
      const body = await bodies.read(request.exchange, request.key.account);
      // The key may be revoked, or lose the robot, while a slow body arrives: check again, at no cost.
      if (performance.now() - admittedAt > admittedForMs) await admit(request.exchange, request.robot, 0);
      return JSON.stringify(await act(request, body));
    };
    return { label, cost: 1, methods: new Map([['POST', post]]) };
  }

  /** Runs a scene. It is charged after its body is read, because its cost depends on the body. */
  async function postScene(request: RestRequest): Promise<string> {
    if (request.key.remaining === 0) throw rateLimited(1);
    const charge = (cost: number): Promise<unknown> => admit(request.exchange, request.robot, cost);
    const body = await bodies.read(request.exchange, request.key.account).catch(async (error: unknown) => {
      if (!(error instanceof ClientGone)) await charge(1);
      throw error;
    });
    // Joining a scene that another request runs costs one action. A scene taken over from a dead gateway was already charged.
    const onJoin = (): Promise<unknown> => charge(1);
    const act = (call: Call): Promise<object> => runScene(call, body, call.idempotent?.recalled === true ? async () => {} : charge);
    return JSON.stringify(await runOnce(request, 'scene', body, act, onJoin));
  }

  /** Performs an action once for all requests with the same Idempotency-Key. @param onJoin as in `runKeyed` */
  function runOnce(
    request: RestRequest,
    action: string,
    body: unknown,
    act: (call: Call) => Promise<object>,
    onJoin?: () => Promise<unknown>,
  ): Promise<object> {
    const sent = request.exchange.request.headers[idempotencyHeader];
    return sent === undefined ? act(callFor(request)) : runKeyed(request, sent, action, body, act, onJoin);
  }

  /** @param onJoin called if this request does not perform the action: another request does, or it is rejected */
  async function runKeyed(
    request: RestRequest,
    sent: string | string[],
    action: string,
    body: unknown,
    act: (call: Call) => Promise<object>,
    onJoin: () => Promise<unknown> = async () => {},
  ): Promise<object> {
    const { exchange, key, robot } = request;
    if (!isIdempotencyKey(sent)) {
      await onJoin();
      throw badIdempotencyKey();
    }
    return idempotent.run({
      key: sent,
      keyHash: key.keyHash,
      account: key.account,
      robot,
      action,
      body,
      signal: exchange.signal,
      onJoin,
      onReplay: () => {
        exchange.time.ignore();
        exchange.setHeader('idempotent-replayed', 'true');
      },
      act: (call) => act(callFor(request, call)),
    });
  }

  async function readEvents(restRequest: RestRequest): Promise<string | null> {
    const { exchange } = restRequest;
    const { request } = exchange;
    if (request.method === 'GET' && prefersStream(request)) {
      exchange.action = 'events_stream';
      const lastEventId = request.headers['last-event-id'] as string | undefined;
      await services.streams.serve(callFor(restRequest), validateEventsStream(queryOf(restRequest.query, eventsQueryNames), lastEventId), exchange);
      return null;
    }
    const args = validateEventsQuery(queryOf(restRequest.query, eventsQueryNames));
    return JSON.stringify(await performAction('events', callFor(restRequest), args));
  }

  function callFor({ exchange, key, robot }: RestRequest, call: IdempotentCall | null = null): Call {
    return new Call({ services, exchange, key, robot, cancelled: call?.signal ?? null, idempotent: call });
  }

  return async (exchange) => {
    const { request } = exchange;
    try {
      drain.refuseNew();
      const { robot, resource, query } = resourceOf(request, pages, robotResources, webhookResource);
      exchange.action = resource?.label ?? 'unknown';
      exchange.robotNamed = robot;
      if (exchange.span !== null && resource !== undefined) exchange.route = base + routeOf(request);
      const key = await admit(exchange, robot, resource?.cost ?? 0);
      if (resource === undefined) throw notFound(robot);
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
      const handle = resource.methods.get(method);
      if (handle === undefined) throw wrongMethod(exchange, resource.methods.keys());
      const json = await handle({ exchange, key, robot: robot ?? '', query });
      if (json === null) return;
      if (drain.announced) exchange.setHeader('connection', 'close');
      exchange.answer(200, json);
    } catch (error) {
      if (drain.announced) exchange.setHeader('connection', 'close');
      sendFailure(exchange, error, log);
    }
  };
}

/** @param robot null if the path names no robot */
function notFound(robot: string | null): ApiError {
  const help = robot === null ? '' : ` A robot takes ${actions.map(({ name }) => name).join(', ')}, stop and scene.`;
  return new ApiError('not_found', `There is nothing at this path.${help} The interface is described at /v1/openapi.json.`);
}

function prefersStream(request: IncomingMessage): boolean {
  const stream = 'text/event-stream';
  if (request.headers.accept?.includes(stream) !== true) return false;
  return (request as Request).accepts(['application/json', stream]) === stream;
}

function getResource(label: RequestAction, cost: 0 | 1, handle: (request: RestRequest) => Promise<string | null>): Resource {
  return { label, cost, methods: new Map([['GET', handle]]) };
}

/**
 * Returns the resource that a path under /v1 names. `/robots/{robot}` and every path below it, known or not, name a robot, because the robot's
 * ownership is checked first. A trailing slash is ignored. A segment that cannot be decoded matches nothing.
 */
function resourceOf(
  request: IncomingMessage,
  pages: ReadonlyMap<string, Resource>,
  robotResources: ReadonlyMap<string, Resource>,
  webhookResource: (segments: readonly string[]) => Resource | undefined,
): { robot: string | null; resource: Resource | undefined; query: string } {
  const { path, query } = targetOf(request);
  const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  const [, first = '', robot = '', action = '', ...rest] = segments;
  const tooDeep = rest.length > 0 || path.endsWith('//');
  if (first === 'robots' && robot !== '')
    return { robot: decoded(robot), resource: tooDeep ? undefined : robotResources.get(decoded(action)), query };
  if (first === 'webhooks')
    return { robot: null, resource: path.endsWith('//') ? undefined : webhookResource(segments.slice(2).map(decoded)), query };
  return { robot: null, resource: tooDeep || robot !== '' || action !== '' ? undefined : pages.get(decoded(first)), query };
}

function routeOf(request: IncomingMessage): string {
  const [, first, id, ...more] = targetOf(request).path.replace(/\/$/, '').split('/').map(decoded);
  if (id === undefined) return `/${first}`;
  if (first === 'robots') return ['/robots/{robot}', ...more].join('/');
  const [what, delivery, action] = more;
  return ['/webhooks/{webhook}', what, delivery === undefined ? undefined : '{delivery}', action].filter((part) => part !== undefined).join('/');
}

function decoded(segment: string): string {
  return decodedOrNull(segment) ?? segment;
}

const eventsQueryNames = ['after', 'seconds', 'names'] as const;

/** Returns the named arguments of a query; others are ignored. @throws {ApiError} bad_argument for an argument given more than once */
function queryOf(query: string, names: readonly string[]): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) continue;
    if (Object.hasOwn(args, name)) throw new ApiError('bad_argument', `${name}: given more than once`, { field: name });
    args[name] = value;
  }
  return args;
}
