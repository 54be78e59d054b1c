/** The console's routes, read from the gateway's sources, so that a new one is attacked too. One that cannot be parsed ends the run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ConsoleRoute {
  method: string;
  /** Path below /console: `robots/{robot}/screen`. */
  path: string;
  session: boolean;
  fromElsewhere: boolean;
}

const folder = fileURLToPath(new URL('../../../../../services/gateway/src/console', import.meta.url));

export function declaredRoutes(): ConsoleRoute[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .flatMap((name) => routesIn(readFileSync(join(folder, name), 'utf8'), name));
}

export function routesIn(source: string, name: string): ConsoleRoute[] {
  // A type declaration has no comma after the method.
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

/** @param path as sent, with its slash */
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
