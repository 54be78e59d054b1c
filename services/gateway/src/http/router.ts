/**
 * Express chooses the area (server/app.ts) and catches errors. It does not route within an area: it tries a regular expression per route, on every
 * action (docs/decisions/http.md), and admission needs the cost, label and robot of paths without a handler.
 */
import type { RequestAction } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Exchange } from './exchange.js';

export interface Route<Request> {
  /** A GET route serves HEAD, too: Node omits the body. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the area, with parameters in braces: `robots/{robot}/events`. */
  readonly path: string;
  /** Actions that a request takes from the rate-limit bucket of its key or session. */
  readonly cost: 0 | 1;
  readonly label: RequestAction;
  readonly handle: (request: Request) => Promise<Answer>;
}

/** An object, or its JSON text; bytes; null if the handler sent the response itself. */
export type Answer = object | string | BytesAnswer | null;

export class BytesAnswer {
  readonly bytes: Buffer;
  /** Name, value, name, value ..., names in lower case. */
  readonly headers: readonly string[];

  constructor(bytes: Buffer, headers: readonly string[]) {
    this.bytes = bytes;
    this.headers = headers;
  }
}

export class Resource<R extends Route<never>> {
  readonly template: string;
  /** Its label and cost also apply to a request whose method the path does not support. */
  readonly first: R;
  readonly #byMethod = new Map<string, R>();

  constructor(first: R) {
    this.template = `/${first.path}`;
    this.first = first;
  }

  add(route: R): void {
    if (this.#byMethod.has(route.method)) throw new Error(`${route.method} ${route.path} is in the table twice`);
    this.#byMethod.set(route.method, route);
  }

  route(method: string | undefined): R | undefined {
    return this.#byMethod.get(method === 'HEAD' ? 'GET' : (method ?? ''));
  }

  wrongMethod(exchange: Exchange): ApiError {
    const allowed = [...this.#byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    exchange.setHeader('allow', allowed);
    return new ApiError('method_not_allowed', `This path does not take ${exchange.request.method}; it takes ${allowed}.`);
  }
}

/** A node in the tree of path segments: all paths that begin with the same segments lead through it. */
interface Place<R extends Route<never>> {
  resource: Resource<R> | undefined;
  readonly fixed: Map<string, Place<R>>;
  parameter: { readonly name: string; readonly below: Place<R> } | null;
}

export interface Match<R extends Route<never>> {
  resource: Resource<R> | undefined;
  /** Parameters by name, decoded, or as received if they cannot be decoded. An unknown path has those of its known beginning. */
  params: Readonly<Record<string, string>>;
}

export class Router<R extends Route<never>> {
  readonly #root: Place<R> = newPlace();

  constructor(routes: readonly R[]) {
    for (const route of routes) {
      let place = this.#root;
      for (const segment of route.path.split('/')) place = placeBelow(place, segment);
      place.resource ??= new Resource(route);
      place.resource.add(route);
    }
  }

  /** @param path begins with a slash; a trailing slash is an empty segment, which matches nothing */
  match(path: string): Match<R> {
    const params: Record<string, string> = {};
    let place: Place<R> | undefined = this.#root;
    for (let start = 1, end; place !== undefined && start <= path.length; start = end + 1) {
      end = path.indexOf('/', start);
      if (end === -1) end = path.length;
      const received = path.slice(start, end);
      const segment = decoded(received) ?? received;
      const { fixed, parameter }: Place<R> = place;
      place = fixed.get(segment);
      if (place !== undefined || parameter === null || segment === '') continue;
      params[parameter.name] = segment;
      place = parameter.below;
    }
    return { resource: place?.resource, params };
  }
}

function newPlace<R extends Route<never>>(): Place<R> {
  return { resource: undefined, fixed: new Map(), parameter: null };
}

function placeBelow<R extends Route<never>>(place: Place<R>, segment: string): Place<R> {
  if (segment.startsWith('{')) {
    const name = segment.slice(1, -1);
    place.parameter ??= { name, below: newPlace() };
    if (place.parameter.name !== name) throw new Error(`${segment} is {${place.parameter.name}} elsewhere in the table`);
    return place.parameter.below;
  }
  let below = place.fixed.get(segment);
  if (below === undefined) place.fixed.set(segment, (below = newPlace()));
  return below;
}

export function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** @param place the path as the error names it @param help what the area offers instead */
export function notFound(place = 'this path', help = ''): ApiError {
  return new ApiError('not_found', `There is nothing at ${place}.${help}`);
}

/**
 * Ignores other arguments.
 * @param query without the `?` @param lists those of `names` whose values are joined with commas when given more than once, as many programs send a list
 * @throws {ApiError} bad_argument for another argument given more than once
 */
export function queryArguments(query: string, names: readonly string[], lists: readonly string[] = []): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) continue;
    if (Object.hasOwn(args, name) && lists.includes(name)) args[name] += `,${value}`;
    else if (Object.hasOwn(args, name)) throw new ApiError('bad_argument', `${name}: given more than once`, { field: name });
    else args[name] = value;
  }
  return args;
}
