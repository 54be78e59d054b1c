/** The routes of the interface, at /v1 for programs and at /console/v1 for the web page. */
import {
  actions,
  previewedActions,
  robotsQueryNames,
  validateRobotsQuery,
  ApiError,
  type Robot,
  type RobotsQuery,
  groupActions,
  groupAnswersModes,
  nextRequests,
  type GroupAction,
  type GroupAnswers,
  validateWaitRead,
  limits,
  pictureFormat,
  pictureSize,
  requirePicture,
  validatePictureUpload,
} from '@perch/schema';
import type { Request } from 'express';
import type { Discovery } from '../discovery/discovery.js';
import type { ActivityLog } from '../activity/activity-log.js';
import type { Actions } from '../actions/actions.js';
import type { EventStreams } from '../events/event-streams.js';
import { Router, queryArguments } from '../http/router.js';
import type { Serving } from '../http/serve.js';
import type { ScreenReader } from '../media/screen-reader.js';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';
import { activityRoutes } from './activity-routes.js';
import { restHandler, type Admit, type RestRequest, type RestRoute } from './rest.js';
import { robotHandlers } from './robot-handlers.js';
import { webhookRoutes, WebhookService } from './webhook-routes.js';
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../http/exchange.js';
import { pacedWrite } from '../http/streamed-body.js';
import { rateLimited } from '../auth/admission.js';
import { ClientGone } from '../calls/failures.js';
import type { GroupCalls } from '../groups/group-calls.js';
import type { JsonBodies } from '../http/json-body.js';
import { badIdempotencyKey, idempotencyHeader, isIdempotencyKey, callName, type IdempotentCalls } from '../idempotency/idempotent-calls.js';
import type { Reader, WaitRef } from '../waits/wait-reader.js';
import type { Waits } from '../waits/waits.js';
import { pictureTtlMs, type Store } from '@perch/store';

export interface RestServices extends Serving {
  store: Store;
  actions: Actions;
  activity: ActivityLog;
  bodies: JsonBodies;
  discovery: Discovery;
  groups: GroupCalls;
  idempotent: IdempotentCalls;
  robotList: RobotListReader;
  screen: ScreenReader;
  streams: EventStreams;
  waits: Waits;
  allowPrivateWebhooks: boolean;
}

/** Returns the interface at a base path, for those whom `admit` admits. */
export function createRest(services: RestServices): (base: string, admit: Admit) => (exchange: Exchange) => Promise<void> {
  const { store, activity, bodies, groups, waits } = services;
  const router = new Router([
    ...robotRoutes(services),
    ...groupRoutes(groups, bodies),
    ...pictureRoutes(store, bodies),
    ...webhookRoutes(new WebhookService({ store, allowPrivate: services.allowPrivateWebhooks }), bodies, activity),
    ...activityRoutes(store, activity),
    ...waitRoutes(waits),
  ]);
  return (base, admit) => restHandler(base, router, admit, services);
}

function robotRoutes(services: RestServices): RestRoute[] {
  const { store, robotList, discovery, drain } = services;
  const handlers = robotHandlers({ ...services, clock: store.clock });
  const listResponses = new RobotListResponses(robotList);

  async function list({ exchange, key, query }: RestRequest): Promise<null> {
    const wanted = validateRobotsQuery(queryArguments(query, robotsQueryNames), new URLSearchParams(query).getAll('label'));
    if (drain.announced) exchange.setHeader('connection', 'close');
    await listResponses.send(exchange, key, wanted);
    return null;
  }

  return [
    { method: 'GET', path: 'robots', cost: 1, label: 'robots', handle: list },
    {
      method: 'GET',
      path: 'actions',
      cost: 0,
      label: 'actions',
      handle: async ({ exchange }) => (isOfPage(exchange) ? discovery.forms() : discovery.actions()),
    },
    { method: 'GET', path: 'icons', cost: 0, label: 'icons', handle: async () => discovery.icons() },
    { method: 'GET', path: 'openapi.json', cost: 0, label: 'openapi', handle: async ({ exchange }) => discovery.openApi(exchange.request) },
    { method: 'GET', path: 'robots/{robot}', cost: 1, label: 'state', handle: handlers.state },
    ...actions.map(({ name }): RestRoute => ({
      method: 'POST',
      path: `robots/{robot}/${name}`,
      cost: 1,
      label: name,
      handle: handlers.action(name),
    })),
    { method: 'GET', path: 'robots/{robot}/screen', cost: 1, label: 'screen', handle: handlers.screen },
    ...previewedActions.map((name): RestRoute => ({
      method: 'POST',
      path: `robots/{robot}/preview/${name}`,
      cost: 1,
      label: 'preview',
      handle: handlers.preview(name),
    })),
    { method: 'GET', path: 'robots/{robot}/events', cost: 1, label: 'events', handle: handlers.events },
    { method: 'POST', path: 'robots/{robot}/stop', cost: 1, label: 'stop', handle: handlers.stop },
    // A scene is charged by its handler, because its cost depends on its body.
    { method: 'POST', path: 'robots/{robot}/scene', cost: 0, label: 'scene', handle: handlers.scene },
  ];
}

function isOfPage({ request }: Exchange): boolean {
  return (request as Request).baseUrl === '/console/v1';
}

/** Responses up to this size are sent whole, with their length. */
const wholeBytesMax = 256 * 1024;
const perAccountMax = 50;

const contentType = 'application/json; charset=utf-8';
const head = Buffer.from('{"ok":true,"robots":[');

/** Memory holds only one slice and the socket's buffer. A later failure closes the connection: the client sees an incomplete response. */
class RobotListResponses {
  readonly #robots: RobotListReader;
  readonly #sending = new Map<string, number>();
  /** JSON text of robots, each preceded by a comma, by the array that holds them: concurrent lists may share an array. */
  readonly #texts = new WeakMap<readonly Robot[], Buffer>();

  constructor(robots: RobotListReader) {
    this.#robots = robots;
  }

  async send(exchange: Exchange, reach: RobotReach, query: RobotsQuery): Promise<void> {
    if (exchange.request.method === 'HEAD') return exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
    const { account } = reach;
    const sending = this.#sending.get(account) ?? 0;
    if (sending >= perAccountMax)
      throw new ApiError('rate_limited', 'Too many lists of robots are being sent to this account. Read fewer at the same time.', { retryAfterS: 1 });
    this.#sending.set(account, sending + 1);
    try {
      await this.#send(exchange, reach, query);
    } finally {
      const left = this.#sending.get(account)! - 1;
      if (left === 0) this.#sending.delete(account);
      else this.#sending.set(account, left);
    }
  }

  async #send(exchange: Exchange, reach: RobotReach, query: RobotsQuery): Promise<void> {
    const { signal } = exchange;
    const { limit = Infinity } = query;
    const held: Buffer[] = [head];
    let heldBytes = head.length;
    let response: ServerResponse | null = null;
    let count = 0;
    let last = '';
    let next: string | null = null;
    for await (const slice of this.#robots.slices(reach, query)) {
      signal.throwIfAborted();
      const fitting = slice.length > limit - count ? slice.slice(0, limit - count) : slice;
      if (fitting.length > 0) {
        const text = this.#textOf(fitting);
        held.push(count === 0 ? text.subarray(1) : text);
        heldBytes += text.length;
        count += fitting.length;
        last = fitting.at(-1)!.id;
      }
      if (fitting.length < slice.length) {
        next = last;
        break;
      }
      if (response === null && heldBytes > wholeBytesMax) response = exchange.stream(contentType);
      if (response === null) continue;
      exchange.time.pause();
      await pacedWrite(response, held.splice(0), signal).finally(() => exchange.time.resume());
    }
    held.push(Buffer.from(`],"next":${JSON.stringify(next)}}`));
    if (response !== null) response.end(Buffer.concat(held));
    else exchange.answerBytes(200, Buffer.concat(held), ['content-type', contentType, 'cache-control', 'no-store']);
  }

  #textOf(robots: readonly Robot[]): Buffer {
    let text = this.#texts.get(robots);
    if (text === undefined) this.#texts.set(robots, (text = Buffer.from(`,${JSON.stringify(robots).slice(1, -1)}`)));
    return text;
  }
}

/** One action on every robot with a label: `POST /v1/groups/{label}/{action}`. */
function groupRoutes(groups: GroupCalls, bodies: JsonBodies): RestRoute[] {
  async function act({ exchange, key, admit, params, query }: RestRequest, action: GroupAction): Promise<object> {
    if (key.remaining === 0) throw rateLimited(1);
    // The cost depends on the number of robots.
    const charge = (cost: number): Promise<unknown> => admit(exchange, null, cost);
    let body: unknown;
    let answers: GroupAnswers | null;
    const idempotencyKey = exchange.request.headers[idempotencyHeader] ?? null;
    try {
      body = await bodies.read(exchange, key.account);
      answers = answersOf(query);
      if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) throw badIdempotencyKey();
    } catch (error) {
      if (!(error instanceof ClientGone)) await charge(1);
      throw error;
    }
    const call = { exchange, key, label: params['label']!, action, body, answers, idempotencyKey, cancelled: null, advice: nextRequests, charge };
    return (await groups.run(call)).answer;
  }

  return groupActions.map((action) => ({
    method: 'POST',
    path: `groups/{label}/${action}`,
    cost: 0,
    label: 'groups',
    handle: (request) => act(request, action),
  }));
}

/** @throws {ApiError} bad_argument */
function answersOf(query: string): GroupAnswers | null {
  const { answers } = queryArguments(query, ['answers']);
  if (answers === undefined) return null;
  const mode = groupAnswersModes.find((each) => each === answers);
  if (mode === undefined) throw new ApiError('bad_argument', `answers: must be ${groupAnswersModes.join(' or ')}`, { field: 'answers' });
  return mode;
}

/** A wait is read and removed by who asked, and by the account of the robot on its page. For any other id the answer is the same 404. The question of a
 * call with an Idempotency-Key is removed with the API key that asked it. */
function waitRoutes({ reader: waits, settler }: Waits): RestRoute[] {
  async function read(request: RestRequest): Promise<object> {
    const { seconds } = validateWaitRead(queryArguments(request.query, ['seconds']));
    const { ref, reader } = await reached(request);
    const { signal, time } = request.exchange;
    return waits.read(ref, { ...reader, signal, time }, seconds);
  }

  async function remove(request: RestRequest): Promise<object> {
    const { ref, reader } = await reached(request);
    await waits.remove(ref, reader);
    return { ok: true };
  }

  async function removeKeyed({ exchange, key: { keyHash }, robot }: RestRequest): Promise<object> {
    const sent = exchange.request.headers[idempotencyHeader] ?? '';
    if (!isIdempotencyKey(sent)) throw badIdempotencyKey();
    await settler.cancelCall(robot, callName(keyHash, sent));
    return { ok: true };
  }

  function reached({ exchange, admit, params }: RestRequest): Promise<{ ref: WaitRef; reader: Reader }> {
    return waits.reach(params['wait']!, (robot) => admit(exchange, robot, 0));
  }

  const label = 'waits';
  return [
    { method: 'GET', path: 'waits/{wait}', cost: 1, label, handle: read },
    { method: 'DELETE', path: 'waits/{wait}', cost: 1, label, handle: remove },
    { method: 'DELETE', path: 'robots/{robot}/wait', cost: 1, label, handle: removeKeyed },
  ];
}

const { pictureSideMax } = limits;

function pictureRoutes({ uploadedPictures, clock }: Pick<Store, 'uploadedPictures' | 'clock'>, bodies: JsonBodies): RestRoute[] {
  async function upload({ exchange, key }: RestRequest): Promise<object> {
    const isRaw = exchange.request.headers['content-type']?.toLowerCase().startsWith('image/') === true;
    const bytes = isRaw ? await bodies.readBytes(exchange, key.account) : validatePictureUpload(await bodies.read(exchange, key.account));
    const size = sizeOf(bytes);
    const picture = await uploadedPictures.put(key.account, bytes);
    const expiresAt = new Date(clock.now() + pictureTtlMs).toISOString();
    return { ok: true, picture, format: pictureFormat(bytes), ...size, bytes: bytes.length, expires_at: expiresAt };
  }

  return [{ method: 'POST', path: 'pictures', cost: 1, label: 'pictures', handle: upload }];
}

/** @throws {ApiError} bad_picture */
function sizeOf(bytes: Buffer): { w: number; h: number } {
  requirePicture('image', bytes);
  const size = pictureSize(bytes);
  if (size === null || size.w < 1 || size.h < 1) throw badPicture('has no readable header');
  if (size.w > pictureSideMax || size.h > pictureSideMax)
    throw badPicture(`is ${size.w} x ${size.h} px; at most ${pictureSideMax} px a side can be taken`);
  return size;
}

function badPicture(problem: string): ApiError {
  return new ApiError('bad_picture', `image: The picture ${problem}. Send a whole JPEG or PNG.`, { field: 'image' });
}
