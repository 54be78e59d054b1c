/**
 * The routes of the console as the gateway's sources declare them, so that a new one is attacked without being named here. A service is a process,
 * which nothing imports: its sources are read as text, and what looks like a route and cannot be read ends the run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ConsoleRoute {
  method: string;
  /** Below /console: `robots/{robot}/screen`. */
  path: string;
  /** Whether only the session of the cookie may ask. */
  session: boolean;
  /** Whether other sites may lead a browser there. */
  fromElsewhere: boolean;
}

const folder = fileURLToPath(new URL('../../../../../services/gateway/src/console', import.meta.url));

/** @throws where a route cannot be read */
export function declaredRoutes(): ConsoleRoute[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .flatMap((name) => routesIn(readFileSync(join(folder, name), 'utf8'), name));
}

/** @param source of a module @param name for the error */
export function routesIn(source: string, name: string): ConsoleRoute[] {
  // The type of a method stands without a comma behind it.
  return [...source.matchAll(/\bmethod: '([A-Z]+)',/g)].map(({ 1: method, index }) => {
    const before = source.slice(0, index);
    const [head = ''] = source.slice(index).split(/\bhandle\b/, 1);
    const about = before.slice(before.lastIndexOf('{')) + head;
    const who = /\bfor: '(anyone|session)'/.exec(about)?.[1];
    const path = /\bpath: '([^']+)'/.exec(about)?.[1];
    if (who === undefined || path === undefined)
      throw new Error(`${name}: a route whose path cannot be read: ${about.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
    return { method: method!, path, session: who === 'session', fromElsewhere: /\bfromElsewhere: true/.test(about) };
  });
}

function isDecodable(segment: string): boolean {
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}

/** @param path as it is sent, from its slash @returns the route that it leads to, with what stands in braces left out; null for none */
export function routeAt(routes: readonly ConsoleRoute[], method: string, path: string): ConsoleRoute | null {
  const segments = path.split('?', 1)[0]!.split('/').slice(2);
  const of = method === 'HEAD' ? 'GET' : method;
  const leads = (pattern: readonly string[]): boolean =>
    pattern.length === segments.length && pattern.every((part, i) => (part.startsWith('{') ? isDecodable(segments[i]!) : part === segments[i]));
  return routes.find((route) => route.method === of && path.startsWith('/console/') && leads(route.path.split('/'))) ?? null;
}

export function routeName({ method, path }: Pick<ConsoleRoute, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
