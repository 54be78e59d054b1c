/**
 * The REST form of the interface. Its routes are the schema's list of actions plus a handful of pages; everything is admitted first,
 * so that a stranger learns nothing about paths, methods or robots.
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
import { Call, type Tools } from '../actions/call.js';
import type { Discovery } from '../discovery/discovery.js';
import type { Drain } from '../http/drain.js';
import { ClientGone, sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { badIdempotencyKey, idempotencyHeader, isIdempotencyKey } from '../idempotency/idempotency-key.js';
import type { IdempotentCall } from '../idempotency/idempotent-call.js';
import type { IdempotentCalls } from '../idempotency/idempotent-calls.js';
import type { JsonBodies } from '../http/json-body.js';
import { decoded as decodedOrNull, wrongMethod } from '../http/path.js';
import { RobotsAnswers } from './robots-answer.js';
import { webhookResources } from './webhook-resources.js';
import type { OwnersWebhooks } from './webhooks.js';

export interface RestOptions {
  /** Where it is mounted: `/v1` or `/console/v1`. */
  base: string;
  tools: Tools;
  /** Who may come in: a program by its API key, a page by its session. */
  admit: Admit;
  idempotent: IdempotentCalls;
  discovery: Discovery;
  webhooks: OwnersWebhooks;
  bodies: JsonBodies;
  drain: Drain;
  log: Logger;
}

/** As `Admission.admit`; the request says who asks. */
export type Admit = (exchange: Exchange, robot: string | null, cost: number) => Promise<AdmittedKey>;

export interface Asked {
  exchange: Exchange;
  key: AdmittedKey;
  /** '' where the path names none. */
  robot: string;
  /** Without its `?`. */
  query: string;
}

export interface Resource {
  /** The label `action` of the metrics. */
  label: RequestAction;
  /** What a call takes from the bucket. */
  cost: 0 | 1;
  /** By method; each answers JSON text, or null where it answered by itself. HEAD is GET without its body, which node leaves out. */
  methods: ReadonlyMap<string, (asked: Asked) => Promise<string | null>>;
}

/** @returns answers everything under /v1, or under /console/v1 */
export function createRest({
  base,
  tools,
  admit,
  idempotent,
  discovery,
  webhooks,
  bodies,
  drain,
  log,
}: RestOptions): (exchange: Exchange) => Promise<void> {
  const robotsAnswers = new RobotsAnswers(tools.robots);
  const pages = new Map<string, Resource>([
    ['robots', get('robots', 1, listRobots)],
    ['actions', get('actions', 0, async () => discovery.actions())],
    ['openapi.json', get('openapi', 0, async ({ exchange }) => discovery.openApi(exchange.request))],
  ]);
  const ofWebhooks = webhookResources(webhooks, bodies);
  const ofRobot = new Map<string, Resource>([
    ['', get('state', 1, async (asked) => JSON.stringify(await performAction('state', callAsked(asked), {})))],
    ...actions.map(({ name }) => [name, actionResource(name)] as const),
    ['stop', posting('stop', (asked, body) => once(asked, 'stop', body, (call) => runStop(call, body)))],
    ['scene', { label: 'scene', cost: 0, methods: new Map([['POST', postScene]]) }],
  ]);

  async function listRobots({ exchange, key, query }: Asked): Promise<null> {
    const wanted = validateRobotsQuery(queryOf(query, robotsQueryNames), new URLSearchParams(query).getAll('label'));
    if (drain.announced) exchange.setHeader('connection', 'close');
    await robotsAnswers.send(exchange, key, wanted);
    return null;
  }

  function actionResource(name: ActionName): Resource {
    const reads = actionByName.get(name)!.effect.readOnly;
    const { methods, ...resource } = posting(name, (asked, body) =>
      reads ? runAction(name, callAsked(asked), body) : once(asked, name, body, (call) => runAction(name, call, body)),
    );
    return name === 'events' ? { ...resource, methods: new Map([...methods, ['GET', readEvents]]) } : { ...resource, methods };
  }

  /** @param act does what the body asks for and answers it */
  function posting(label: RequestAction, act: (asked: Asked, body: unknown) => Promise<object>): Resource {
    const post = async (asked: Asked): Promise<string> => {
      const admittedAt = performance.now();
      const body = await bodies.read(asked.exchange, asked.key.account);
      // A key may end, and a robot change hands, while a body trickles in: what was true a second ago is asked again, free of charge.
      if (performance.now() - admittedAt > admittedForMs) await admit(asked.exchange, asked.robot, 0);
      return JSON.stringify(await act(asked, body));
    };
    return { label, cost: 1, methods: new Map([['POST', post]]) };
  }

  /** What it costs stands in its body, so that it is charged once that is read. */
  async function postScene(asked: Asked): Promise<string> {
    if (asked.key.remaining === 0) throw rateLimited(1);
    const charge = (cost: number): Promise<unknown> => admit(asked.exchange, asked.robot, cost);
    const body = await bodies.read(asked.exchange, asked.key.account).catch(async (error: unknown) => {
      if (!(error instanceof ClientGone)) await charge(1);
      throw error;
    });
    // A scene that another request made costs as much as any call; one that a dead gateway began was charged there.
    const joins = (): Promise<unknown> => charge(1);
    const act = (call: Call): Promise<object> => runScene(call, body, call.idempotent?.recalled === true ? async () => {} : charge);
    return JSON.stringify(await once(asked, 'scene', body, act, joins));
  }

  /** Does what may be asked for under an Idempotency-Key, once for all requests with the same. @param joins as of `keyed` */
  function once(asked: Asked, action: string, body: unknown, act: (call: Call) => Promise<object>, joins?: () => Promise<unknown>): Promise<object> {
    const sent = asked.exchange.request.headers[idempotencyHeader];
    return sent === undefined ? act(callAsked(asked)) : keyed(asked, sent, action, body, act, joins);
  }

  /** @param joins asked where the call is not made here: another one made it, or it is refused */
  async function keyed(
    asked: Asked,
    sent: string | string[],
    action: string,
    body: unknown,
    act: (call: Call) => Promise<object>,
    joins: () => Promise<unknown> = async () => {},
  ): Promise<object> {
    const { exchange, key, robot } = asked;
    if (!isIdempotencyKey(sent)) {
      await joins();
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
      joins,
      replays: () => {
        exchange.time.ignore();
        exchange.setHeader('idempotent-replayed', 'true');
      },
      act: (call) => act(callAsked(asked, call)),
    });
  }

  async function readEvents(asked: Asked): Promise<string | null> {
    const { exchange } = asked;
    const { request } = exchange;
    if (request.method === 'GET' && prefersStream(request)) {
      exchange.action = 'events_stream';
      const lastEventId = request.headers['last-event-id'] as string | undefined;
      await tools.streams.serve(callAsked(asked), validateEventsStream(queryOf(asked.query, eventsQueryNames), lastEventId), exchange);
      return null;
    }
    const args = validateEventsQuery(queryOf(asked.query, eventsQueryNames));
    return JSON.stringify(await performAction('events', callAsked(asked), args));
  }

  function callAsked({ exchange, key, robot }: Asked, call: IdempotentCall | null = null): Call {
    return new Call({ tools, exchange, key, robot, givenUp: call?.signal ?? null, idempotent: call });
  }

  return async (exchange) => {
    const { request } = exchange;
    try {
      drain.refuseNew();
      const { robot, resource, query } = resourceOf(request, pages, ofRobot, ofWebhooks);
      exchange.action = resource?.label ?? 'unknown';
      exchange.robotNamed = robot;
      if (exchange.span !== null && resource !== undefined) exchange.route = base + routeOf(request);
      const key = await admit(exchange, robot, resource?.cost ?? 0);
      if (resource === undefined) throw nothingThere(robot);
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

/** @param robot null where the path names none */
function nothingThere(robot: string | null): ApiError {
  const help = robot === null ? '' : ` A robot takes ${actions.map(({ name }) => name).join(', ')}, stop and scene.`;
  return new ApiError('not_found', `There is nothing at this path.${help} The interface is described at /v1/openapi.json.`);
}

/** Whether the client would rather have the events as they come. */
function prefersStream(request: IncomingMessage): boolean {
  const stream = 'text/event-stream';
  if (request.headers.accept?.includes(stream) !== true) return false;
  return (request as Request).accepts(['application/json', stream]) === stream;
}

function get(label: RequestAction, cost: 0 | 1, handle: (asked: Asked) => Promise<string | null>): Resource {
  return { label, cost, methods: new Map([['GET', handle]]) };
}

/**
 * What a path under /v1 names. A robot is named by `/robots/{robot}` and everything below it, known or not: whose robot it is comes first.
 * A trailing slash is no difference; what cannot be decoded names nothing.
 */
function resourceOf(
  request: IncomingMessage,
  pages: ReadonlyMap<string, Resource>,
  ofRobot: ReadonlyMap<string, Resource>,
  ofWebhooks: (segments: readonly string[]) => Resource | undefined,
): { robot: string | null; resource: Resource | undefined; query: string } {
  const { path, query } = targetOf(request);
  const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
  const [, first = '', robot = '', action = '', ...rest] = segments;
  const tooDeep = rest.length > 0 || path.endsWith('//');
  if (first === 'robots' && robot !== '') return { robot: decoded(robot), resource: tooDeep ? undefined : ofRobot.get(decoded(action)), query };
  if (first === 'webhooks') return { robot: null, resource: path.endsWith('//') ? undefined : ofWebhooks(segments.slice(2).map(decoded)), query };
  return { robot: null, resource: tooDeep || robot !== '' || action !== '' ? undefined : pages.get(decoded(first)), query };
}

/** The template of a path that names a resource. */
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

/** Reads the named arguments of a query; others are ignored. @throws {ApiError} bad_argument for an argument that is given more than once */
function queryOf(query: string, names: readonly string[]): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) continue;
    if (Object.hasOwn(args, name)) throw new ApiError('bad_argument', `${name}: given more than once`, { field: name });
    args[name] = value;
  }
  return args;
}
