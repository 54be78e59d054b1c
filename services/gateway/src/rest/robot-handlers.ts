import type { IncomingMessage } from 'node:http';
import { actionByName, validateEventsQuery, validateEventsStream, type ActionName, type PreviewedAction } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Request } from 'express';
import { ackedAnswer, isResumable, type Actions } from '../actions/actions.js';
import { rateLimited } from '../auth/admission.js';
import { Call, type EffectLog } from '../calls/call.js';
import { ClientGone } from '../calls/failures.js';
import { isRecentCheck } from '../calls/key-validity.js';
import type { EventStreams } from '../events/event-streams.js';
import type { JsonBodies } from '../http/json-body.js';
import type { ScreenReader, ScreenImage } from '../media/screen-reader.js';
import { queryArguments, type Answer, BytesAnswer } from '../http/router.js';
import { badIdempotencyKey, idempotencyHeader, isIdempotencyKey, type IdempotentCalls } from '../idempotency/idempotent-calls.js';
import type { RestRequest } from './rest.js';

interface RobotHandlersOptions {
  clock: Pick<Store['clock'], 'now'>;
  actions: Actions;
  screen: ScreenReader;
  streams: EventStreams;
  idempotent: IdempotentCalls;
  bodies: JsonBodies;
}

type Handle = (request: RestRequest) => Promise<Answer>;

const eventsQuery = (query: string): Record<string, string> => queryArguments(query, ['after', 'seconds', 'names'], ['names']);

export function robotHandlers({ clock, actions, screen, streams, idempotent, bodies }: RobotHandlersOptions) {
  /** Reads the body and checks that the key still holds: it may be revoked, or lose the robot, while a slow body arrives. */
  async function bodyOf({ exchange, key, admit, robot }: RestRequest): Promise<unknown> {
    const admittedAt = performance.now();
    const body = await bodies.read(exchange, key.account);
    if (!isRecentCheck(admittedAt)) await admit(exchange, robot, 0);
    return body;
  }

  function action(name: ActionName): Handle {
    const reads = actionByName.get(name)!.effect.readOnly;
    return async (request) => {
      const body = await bodyOf(request);
      return reads ? actions.run(name, callFor(request), body) : runOnce(request, name, body, (call) => actions.run(name, call, body));
    };
  }

  async function stop(request: RestRequest): Promise<object> {
    const body = await bodyOf(request);
    return runOnce(request, 'stop', body, (call) => actions.stop(call, body));
  }

  async function scene(request: RestRequest): Promise<object> {
    const { exchange, key, admit, robot } = request;
    if (key.remaining === 0) throw rateLimited(1);
    const charge = (cost: number): Promise<unknown> => admit(exchange, robot, cost);
    const body = await bodies.read(exchange, key.account).catch(async (error: unknown) => {
      if (!(error instanceof ClientGone)) await charge(1);
      throw error;
    });
    // Joining a scene that another request runs costs one action. A scene taken over from a dead gateway was already charged.
    const onJoin = (): Promise<unknown> => charge(1);
    const act = (call: Call, recalled: boolean): Promise<object> => actions.scene(call, body, recalled ? async () => {} : charge);
    return runOnce(request, 'scene', body, act, onJoin);
  }

  /** Performs an action once for all requests with the same Idempotency-Key. @param act performs it; `recalled`: in place of a gateway that died */
  function runOnce(
    request: RestRequest,
    actionName: string,
    body: unknown,
    act: (call: Call, recalled: boolean) => Promise<object>,
    onJoin?: () => Promise<unknown>,
  ): Promise<object> {
    const sent = request.exchange.request.headers[idempotencyHeader];
    return sent === undefined ? act(callFor(request), false) : runKeyed(request, sent, actionName, body, act, onJoin);
  }

  /** @param onJoin called if this request does not perform the action: another request does, or it is rejected */
  async function runKeyed(
    request: RestRequest,
    sent: string | string[],
    actionName: string,
    body: unknown,
    act: (call: Call, recalled: boolean) => Promise<object>,
    onJoin: () => Promise<unknown> = async () => {},
  ): Promise<object> {
    const { exchange, key, robot } = request;
    if (!isIdempotencyKey(sent)) {
      await onJoin();
      throw badIdempotencyKey();
    }
    const keyCheckedAt = performance.now();
    return idempotent.run({
      key: sent,
      keyHash: key.keyHash,
      guest: key.guest,
      account: key.account,
      robot,
      action: actionName,
      body,
      client: exchange,
      onJoin,
      onReplay: () => {
        exchange.time.ignore();
        exchange.replayed = true;
        exchange.setHeader('idempotent-replayed', 'true');
      },
      resumable: isResumable(actionName),
      acked: ackedAnswer(actionName),
      // The request may have waited long for another one with the same key.
      act: (call) => act(callFor(request, call, keyCheckedAt), call.recalled),
    });
  }

  function preview(name: PreviewedAction): Handle {
    return async (request) => {
      const body = await bodyOf(request);
      return screenImageAnswer(request.exchange.request, await actions.preview(name, callFor(request), body));
    };
  }

  async function events(request: RestRequest): Promise<object | null> {
    const { exchange } = request;
    const { method, headers } = exchange.request;
    if (method === 'GET' && prefersStream(exchange.request)) {
      exchange.action = 'events_stream';
      const lastEventId = headers['last-event-id'] as string | undefined;
      await streams.serve(callFor(request), validateEventsStream(eventsQuery(request.query), lastEventId), exchange);
      return null;
    }
    return actions.perform('events', callFor(request), validateEventsQuery(eventsQuery(request.query)));
  }

  function callFor({ exchange, key, robot }: RestRequest, effects: EffectLog | null = null, keyCheckedAt = performance.now()): Call {
    return new Call({ exchange, key, robot, keyCheck: { at: keyCheckedAt }, arrivedAt: clock.now(), cancelled: effects, effects });
  }

  async function readScreen(request: RestRequest): Promise<Answer> {
    return screenImageAnswer(request.exchange.request, await screen.readPng(callFor(request)));
  }

  return {
    state: (request: RestRequest) => actions.perform('state', callFor(request), {}),
    events,
    screen: readScreen,
    stop,
    scene,
    action,
    preview,
  };
}

function prefersStream(request: IncomingMessage): boolean {
  const stream = 'text/event-stream';
  if (request.headers.accept?.includes(stream) !== true) return false;
  return (request as Request).accepts(['application/json', stream]) === stream;
}

/** Returns the image as a PNG, or as JSON with what was cut or changed in it if the client prefers that. */
function screenImageAnswer(request: IncomingMessage, { png, notes }: ScreenImage): Answer {
  if ((request as Request).accepts(['image/png', 'application/json']) === 'application/json')
    return { ok: true, image: png.toString('base64'), ...notes };
  return new BytesAnswer(png, ['content-type', 'image/png', 'cache-control', 'no-store']);
}
