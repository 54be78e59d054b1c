import { targetOf } from '@perch/runtime';
import { crossOrigin } from '../http/cors.js';
import type { Exchange } from '../http/exchange.js';
import { notFound, Router, type Answer, type Route } from '../http/router.js';
import { serve, type Serving } from '../http/serve.js';
import type { Discovery } from './discovery.js';

export interface Descriptions {
  readonly paths: readonly string[];
  readonly answer: (exchange: Exchange) => Promise<void>;
}

export function createDescriptions(discovery: Discovery, serving: Serving): Descriptions {
  const routes: Route<Exchange>[] = [
    { method: 'GET', path: 'openapi.json', cost: 0, label: 'openapi', handle: async ({ request }) => discovery.openApi(request) },
    { method: 'GET', path: 'llms.txt', cost: 0, label: 'llms', handle: llmsTxt },
  ];
  const router = new Router(routes);

  async function llmsTxt(exchange: Exchange): Promise<null> {
    exchange.answer(200, discovery.llmsTxt(exchange.request), 'text/plain; charset=utf-8');
    return null;
  }

  async function answer(exchange: Exchange): Promise<Answer> {
    const { resource } = router.match(targetOf(exchange.request).path.replace(/\/$/, ''));
    if (resource === undefined) throw notFound();
    exchange.action = resource.first.label;
    const route = resource.route(exchange.request.method);
    if (route === undefined) throw resource.wrongMethod(exchange);
    return route.handle(exchange);
  }

  return {
    paths: routes.map(({ path }) => `/${path}`),
    answer: async (exchange) => {
      if (!crossOrigin(exchange)) await serve(exchange, serving, answer);
    },
  };
}
