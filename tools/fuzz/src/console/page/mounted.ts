/** The API mounted under /console/v1, from its OpenAPI document: each operation with a valid body. */
import fc from 'fast-check';
import { examplesAt, type OpenApi } from '../../served.js';
import type { Draft } from '../requests/drafts.js';
import { anyEnd, type Generator } from '../requests/generators.js';
import type { ConsoleRoute } from '../requests/routes.js';
import { placeholders } from '../requests/placeholders.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function isMounted({ path }: ConsoleRoute): boolean {
  return path.startsWith('v1/');
}

export function mountedRoutes(openApi: OpenApi): { route: ConsoleRoute; right: Draft }[] {
  return Object.entries(openApi.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      methods
        .filter((method) => Object.hasOwn(operations, method))
        .map((method) => {
          const route = { method: method.toUpperCase(), path: path.slice(1), session: true, fromElsewhere: false };
          const [example] = method === 'post' ? examplesAt(openApi, path) : [];
          const body = method === 'post' ? Buffer.from(JSON.stringify(example ?? {})) : null;
          const right: Draft = {
            what: 'as it fits',
            method: route.method,
            path: `/console${path.replace('{robot}', placeholders.virtualRobot).replaceAll(/\{\w+\}/g, 'w-0000000000')}`,
            // Some paths answer with a picture unless JSON is requested.
            headers: ['accept: application/json', ...(body === null ? [] : ['content-type: application/json'])],
            body,
            ends: anyEnd,
          };
          return { route, right };
        }),
    );
}

/** Waits are short, and no example URL is used. */
export function mountedCalls(openApi: OpenApi): ({ route: ConsoleRoute } & Generator)[] {
  return mountedRoutes(openApi).map(({ route, right }) => {
    const body =
      right.body === null || route.path === 'v1/webhooks'
        ? right.body && Buffer.from('{}')
        : Buffer.from(JSON.stringify(soonOver(openApi, route, right.body)));
    const draft = { ...right, body };
    return { route, right: [draft], any: fc.constant(draft) };
  });
}

const shortWaitS = 0.03;

function soonOver({ components }: OpenApi, { path }: ConsoleRoute, body: Buffer): object {
  const name = path.split('/').at(-1)!;
  const takes = components.schemas[`${name[0]!.toUpperCase()}${name.slice(1)}Arguments`]?.properties ?? {};
  const example = JSON.parse(body.toString()) as object;
  if (takes['timeout_s'] !== undefined) return { ...example, timeout_s: shortWaitS };
  return path.endsWith('/events') ? { ...example, seconds: shortWaitS } : example;
}
