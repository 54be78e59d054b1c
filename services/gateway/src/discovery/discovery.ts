import type { IncomingMessage } from 'node:http';
import { actionsDocument, formDocument, iconsDocument, openApiDocument } from '@perch/schema';
import { LRUCache } from 'lru-cache';
import { targetOf } from '@perch/runtime';
import { crossOrigin } from '../http/cors.js';
import type { Exchange } from '../http/exchange.js';
import { notFound, Router, type Answer, type Route } from '../http/router.js';
import { serve, type Serving } from '../http/serve.js';

/** Returns the base URL that the sender of a request should use, without a trailing slash. */
export type BaseUrl = (request: IncomingMessage) => string;

/** @param publicUrl public base URL; null: derived from each request */
export function baseUrls(publicUrl: string | null): BaseUrl {
  const fixed = publicUrl?.replace(/\/+$/, '');
  return (request) => fixed ?? baseUrlOf(request);
}

export class Discovery {
  readonly #baseUrl: BaseUrl;
  /** By base URL. Bounded, because the URL comes from the request. */
  readonly #openApi = new LRUCache<string, string>({ max: 8 });
  readonly #llmsTxt = new LRUCache<string, string>({ max: 8 });
  #actions: string | null = null;
  #forms: string | null = null;
  #icons: string | null = null;

  constructor(baseUrl: BaseUrl) {
    this.#baseUrl = baseUrl;
  }

  openApi(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let json = this.#openApi.get(baseUrl);
    if (json === undefined) this.#openApi.set(baseUrl, (json = JSON.stringify(openApiDocument(baseUrl))));
    return json;
  }

  llmsTxt(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let text = this.#llmsTxt.get(baseUrl);
    if (text === undefined) this.#llmsTxt.set(baseUrl, (text = llmsTxt(baseUrl)));
    return text;
  }

  actions(): string {
    this.#actions ??= JSON.stringify(actionsDocument());
    return this.#actions;
  }

  /** The actions as the page's forms need them. */
  forms(): string {
    this.#forms ??= JSON.stringify(formDocument());
    return this.#forms;
  }

  icons(): string {
    this.#icons ??= JSON.stringify(iconsDocument());
    return this.#icons;
  }
}

/** Returns the base URL that the client used, also through a proxy. The client may forge it, but the response goes to that client only. */
function baseUrlOf(request: IncomingMessage): string {
  const forwarded = request.headers['x-forwarded-proto'];
  const scheme = typeof forwarded === 'string' && forwarded.split(',')[0]?.trim() === 'https' ? 'https' : 'http';
  const host = request.headers.host ?? '';
  return `${scheme}://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
}

interface Descriptions {
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

/** llms.txt (llmstxt.org): an introduction for language models with the base URL and one line per operation. */
function llmsTxt(baseUrl: string): string {
  const { info, tags = [], paths = {} } = openApiDocument(baseUrl);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'patch', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      const url = `${baseUrl}/openapi.json#/paths/${pointer(path)}/${method}`;
      return [{ tags: operation.tags, line: `- [${method.toUpperCase()} ${path}](${url}): ${operation.summary}` }];
    }),
  );
  return [
    `# ${info.title}`,
    `> ${info.summary} ${info.description}`,
    [
      `- Base URL: ${baseUrl}`,
      `- Key: \`Authorization: Bearer pk_...\`; a user creates one at ${baseUrl}/keys`,
      `- Tools: the same over MCP (streamable HTTP) at ${baseUrl}/mcp, with the same key`,
      '- ask, menu and clickmap hold the call open until a tap on the screen of the robot, or until the timeout',
    ].join('\n'),
    ...tags.map(({ name, description }) =>
      [`## ${name}: ${description}`, ...operations.filter((operation) => operation.tags?.includes(name)).map(({ line }) => line)].join('\n'),
    ),
    [
      '## Reference',
      `- [OpenAPI](${baseUrl}/openapi.json): the whole interface, with every argument, answer and error`,
      `- [For people](${baseUrl}/docs): the same, to read in a browser`,
      `- [MCP](${baseUrl}/mcp): the tools; needs a key`,
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
