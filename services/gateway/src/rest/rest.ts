/** Every request is admitted first, so that a client without a key learns nothing about paths, methods or robots. */
import { targetOf } from '@perch/runtime';
import { actions } from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import type { Exchange } from '../http/exchange.js';
import { notFound, type Answer, type Route, type Router } from '../http/router.js';
import { serve, type Serving } from '../http/serve.js';

export type Admit = (exchange: Exchange, robot: string | null, cost: number) => Promise<AdmittedKey>;

export interface RestRequest {
  exchange: Exchange;
  key: AdmittedKey;
  /** Admits the request again: charges more actions, or checks that the key is still valid. */
  admit: Admit;
  /** '' if the path names no robot. */
  robot: string;
  params: Readonly<Record<string, string>>;
  /** Query string without the `?`. */
  query: string;
}

export type RestRoute = Route<RestRequest>;

const unknown = { label: 'unknown', cost: 0 } as const;

/** @param base what comes before the paths of the routes */
export function restHandler(base: string, router: Router<RestRoute>, admit: Admit, serving: Serving): (exchange: Exchange) => Promise<void> {
  async function answer(exchange: Exchange): Promise<Answer> {
    const { request } = exchange;
    const { path, query } = targetOf(request);
    const { resource, params } = router.match(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    // Every path below a robot names it, whether there is something or not: its ownership is checked first.
    const robot = params['robot'] ?? null;
    const route = resource?.route(request.method);
    const { label, cost } = route ?? resource?.first ?? unknown;
    exchange.action = label;
    exchange.robotNamed = robot;
    if (exchange.span !== null && resource !== undefined) exchange.route = base + resource.template;
    const key = await admit(exchange, robot, cost);
    if (resource === undefined) throw nothingHere(robot);
    if (route === undefined) throw resource.wrongMethod(exchange);
    return route.handle({ exchange, key, admit, robot: robot ?? '', params, query });
  }

  return (exchange) => serve(exchange, serving, answer);
}

function nothingHere(robot: string | null): Error {
  const help = robot === null ? '' : ` A robot takes ${actions.map(({ name }) => name).join(', ')}, stop and scene.`;
  return notFound('this path', `${help} The interface is described at /v1/openapi.json.`);
}
