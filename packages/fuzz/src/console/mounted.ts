/** The interface as it is mounted under /console/v1 for the page's session, by its published description: each operation with a body that fits. */
import { examplesAt, type OpenApi } from '../served.js';
import type { Draft } from './drafts.js';
import { anyEnd } from './generators.js';
import type { ConsoleRoute } from './routes.js';
import { standIns } from './stand-ins.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

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
            path: `/console${path.replace('{robot}', standIns.virtualRobot).replaceAll(/\{\w+\}/g, 'w-0000000000')}`,
            headers: body === null ? [] : ['content-type: application/json'],
            body,
            ends: anyEnd,
          };
          return { route, right };
        }),
    );
}
