/**
 * What the web page asks for under /console. Every request has to come from a page of ours; all but what a stranger needs to come in is for
 * the session of the cookie alone, and what changes something carries the session's token (csrf.ts).
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
import type { Asked, Route } from './route.js';
import type { Visitors } from './auth/session-auth.js';

export interface ConsoleOptions {
  visitors: Visitors;
  routes: readonly Route[];
  bodies: JsonBodies;
  addresses: ClientAddresses;
  audits: AuditLog;
  drain: Drain;
  log: Logger;
}

const bodyBound: BodyBound = { bytesMax: 16_384, help: 'Send less at once.' };

/** @returns answers everything under /console but /console/v1 */
export function createConsole({ visitors, routes, bodies, addresses, audits, drain, log }: ConsoleOptions): (exchange: Exchange) => Promise<void> {
  const table = routes.map((route) => ({ route, segments: route.path.split('/') }));

  function routesAt(path: string): { route: Route; params: Record<string, string> }[] {
    const segments = path.split('/').slice(1);
    return table.flatMap(({ route, segments: pattern }) => {
      const params = paramsOf(pattern, segments);
      return params === null ? [] : [{ route, params }];
    });
  }

  /** Runs a route's handler, and leaves the audit line of its kind. */
  async function audited(route: Route, asked: Asked, account: string | null, handle: () => Promise<object | null>): Promise<object | null> {
    if (route.audit === undefined) return handle();
    try {
      const result = await handle();
      audits.call(route.audit, asked, account, result);
      return result;
    } catch (error) {
      audits.call(route.audit, asked, account, error);
      throw error;
    }
  }

  async function answer(exchange: Exchange): Promise<object | null> {
    const { request } = exchange;
    const { path, query } = targetOf(request);
    const there = routesAt(path);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = there.find(({ route }) => route.method === method);
    exchange.action = found?.route.label ?? 'unknown';
    if (found === undefined) {
      visitors.requireOwnPage(exchange);
      throw there.length === 0
        ? new ApiError('not_found', 'There is nothing at this path.')
        : wrongMethod(
            exchange,
            there.map(({ route }) => route.method),
          );
    }
    const { route, params } = found;
    const asked = (owner: string): Asked => ({
      exchange,
      params,
      query: new URLSearchParams(query),
      noted: {},
      body: () => bodies.read(exchange, owner, bodyBound),
    });
    if (route.for === 'session') {
      const session = await visitors.admit(exchange, null, route.cost ?? 1);
      if (params['robot'] !== undefined && !isRobotId(params['robot'])) throw noSuchRobot();
      const bySession = { ...asked(session.account), session };
      return audited(route, bySession, session.account, () => route.handle(bySession));
    }
    if (route.fromElsewhere !== true) visitors.requireOwnPage(exchange);
    const byAnyone = asked(addresses.networkOf(request));
    return audited(route, byAnyone, null, () => route.handle(byAnyone));
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

/** The parts in braces, or null where the path is another. */
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
