/**
 * Dispatches requests under /console to its routes. Every request must come from a page of this service. All routes except those for signing in and
 * up require the session cookie, and requests that change something also require the session's CSRF token (csrf.ts).
 */
import { targetOf, type ClientAddresses, type Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { isRobotId } from '@perch/store';
import type { Drain } from '../http/drain.js';
import { sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyBound, JsonBodies } from '../http/json-body.js';
import { decoded, wrongMethod } from '../http/path.js';
import { noSuchRobot } from './robots/robot-service.js';
import type { AuditLog } from './audit.js';
import type { ConsoleRequest, Route } from './route.js';
import type { SessionAuth } from './auth/session-auth.js';

export interface ConsoleOptions {
  sessionAuth: SessionAuth;
  routes: readonly Route[];
  bodies: JsonBodies;
  addresses: ClientAddresses;
  audits: AuditLog;
  drain: Drain;
  log: Logger;
}

const bodyBound: BodyBound = { bytesMax: 16_384, help: 'Send less at once.' };

/** Returns the handler of all paths under /console except /console/v1. */
export function createConsole({ sessionAuth, routes, bodies, addresses, audits, drain, log }: ConsoleOptions): (exchange: Exchange) => Promise<void> {
  const table = routes.map((route) => ({ route, segments: route.path.split('/') }));

  function routesAt(path: string): { route: Route; params: Record<string, string> }[] {
    const segments = path.split('/').slice(1);
    return table.flatMap(({ route, segments: pattern }) => {
      const params = paramsOf(pattern, segments);
      return params === null ? [] : [{ route, params }];
    });
  }

  async function audited(
    route: Route,
    request: ConsoleRequest,
    account: string | null,
    handle: () => Promise<object | null>,
  ): Promise<object | null> {
    if (route.audit === undefined) return handle();
    try {
      const result = await handle();
      audits.recordRequest(route.audit, request, account, result);
      return result;
    } catch (error) {
      audits.recordRequest(route.audit, request, account, error);
      throw error;
    }
  }

  async function answer(exchange: Exchange): Promise<object | null> {
    const { request } = exchange;
    const { path, query } = targetOf(request);
    const matching = routesAt(path);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = matching.find(({ route }) => route.method === method);
    exchange.action = found?.route.label ?? 'unknown';
    if (found === undefined) {
      sessionAuth.requirePageOrigin(exchange);
      throw matching.length === 0
        ? new ApiError('not_found', 'There is nothing at this path.')
        : wrongMethod(
            exchange,
            matching.map(({ route }) => route.method),
          );
    }
    const { route, params } = found;
    const requestOf = (bodyOwner: string): ConsoleRequest => ({
      exchange,
      params,
      query: new URLSearchParams(query),
      auditNote: {},
      body: () => bodies.read(exchange, bodyOwner, bodyBound),
    });
    if (route.for === 'session') {
      const session = await sessionAuth.admit(exchange, null, route.cost ?? 1);
      if (params['robot'] !== undefined && !isRobotId(params['robot'])) throw noSuchRobot();
      const sessionRequest = { ...requestOf(session.account), session };
      return audited(route, sessionRequest, session.account, () => route.handle(sessionRequest));
    }
    if (route.fromElsewhere !== true) sessionAuth.requirePageOrigin(exchange);
    const openRequest = requestOf(addresses.networkOf(request));
    return audited(route, openRequest, null, () => route.handle(openRequest));
  }

  return async (exchange) => {
    try {
      drain.refuseNew();
      const answered = await answer(exchange);
      if (drain.announced) exchange.setHeader('connection', 'close');
      if (answered !== null) exchange.answer(200, JSON.stringify(answered));
    } catch (error) {
      if (drain.announced) exchange.setHeader('connection', 'close');
      sendFailure(exchange, error, log);
    }
  };
}

/** Returns the values of the parameters in braces, or null if the path does not match. */
function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i]!;
    if (part.startsWith('{')) {
      const value = decoded(segment);
      if (value === null || value === '') return null;
      params[part.slice(1, -1)] = value;
    } else if (part !== segment) return null;
  }
  return params;
}
