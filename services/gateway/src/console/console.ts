/**
 * What the web page asks for under /console. Every request has to come from a page of ours; all but what a stranger needs to come in is for
 * the session of the cookie alone, and what changes something carries the session's token (csrf.ts).
 */
import type { Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Drain } from '../drain.js';
import { sendFailure } from '../errors.js';
import type { Exchange } from '../exchange.js';
import { readJsonBody } from '../json-body.js';
import type { Asked, Route } from './route.js';
import type { Visitors } from './visitor.js';

export interface ConsoleOptions {
  visitors: Visitors;
  routes: readonly Route[];
  drain: Drain;
  log: Logger;
}

const bodyBytesMax = 16_384;

/** @returns answers everything under /console but /console/v1 */
export function createConsole({ visitors, routes, drain, log }: ConsoleOptions): (exchange: Exchange) => Promise<void> {
  const table = routes.map((route) => ({ route, segments: route.path.split('/') }));

  function routesAt(path: string): { route: Route; params: Record<string, string> }[] {
    const segments = path.split('/').slice(1);
    return table.flatMap(({ route, segments: pattern }) => {
      const params = paramsOf(pattern, segments);
      return params === null ? [] : [{ route, params }];
    });
  }

  async function answer(exchange: Exchange): Promise<object | null> {
    const { request, response } = exchange;
    const [path = '', ...query] = (request.url ?? '/').split('?');
    const there = routesAt(path);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = there.find(({ route }) => route.method === method);
    exchange.action = found?.route.label ?? 'unknown';
    if (found === undefined) {
      visitors.requireOwnPage(exchange);
      throw there.length === 0 ? new ApiError('not_found', 'There is nothing at this path.') : wrongMethod(exchange, there);
    }
    const { route, params } = found;
    const asked: Asked = { exchange, params, query: new URLSearchParams(query.join('?')), body: () => readJsonBody(request, response, bodyBytesMax) };
    if (route.for === 'session') return route.handle({ ...asked, session: await visitors.admit(exchange, null, route.cost ?? 1) });
    if (route.fromElsewhere !== true) visitors.requireOwnPage(exchange);
    return route.handle(asked);
  }

  return async (exchange) => {
    try {
      drain.refuseNew();
      const answered = await answer(exchange);
      if (drain.begun) exchange.setHeader('connection', 'close');
      if (answered !== null) exchange.answer(200, JSON.stringify(answered));
    } catch (error) {
      if (drain.begun) exchange.setHeader('connection', 'close');
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

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function wrongMethod(exchange: Exchange, there: readonly { route: Route }[]): ApiError {
  const allowed = there
    .map(({ route }) => route.method)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
  exchange.setHeader('allow', allowed);
  return new ApiError('method_not_allowed', `This path does not take ${exchange.request.method}; it takes ${allowed}.`);
}
