/**
 * Admin server of a service: /healthz (the process is alive), /readyz (it can take work) and /metrics.
 * It requires no key and therefore listens on loopback by default. It starts first and stops last, so that a drain can be observed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ConnectionGuard } from './connection-guard.js';
import type { Health } from '../health.js';
import type { Part } from '../service/lifecycle.js';
import { withoutSecrets } from '../log.js';
import type { Metrics } from '../metrics/metrics.js';
import { closeNow, httpAddress, listen } from './listen.js';
import { targetOf } from './request-head.js';

export interface AdminServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  health: Health;
  metrics: Metrics;
  pages?: Readonly<Record<string, AdminPage>>;
}

/** Answers GET and HEAD. A rejection is answered with 500, or cuts off an answer that has begun. */
export type AdminPage = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Beyond it, idle connections are closed first, so that a client that holds connections cannot block probes. */
const connectionsMax = 32;

export interface AdminServer extends Part {
  /** `http://host:port`; available after the start. */
  readonly address: string;
}

export function adminServer(options: AdminServerOptions): AdminServer {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      sendJson(response, 500, { ok: false, error: withoutSecrets(String(error)) });
    });
  });

  new ConnectionGuard({ server, connectionsMax });

  return {
    name: 'admin server',
    get address() {
      return httpAddress(server.address());
    },
    start: async () => void (await listen(server, options.host, options.port)),
    stop: () => closeNow(server),
  };
}

async function answer({ health, metrics, pages = {} }: AdminServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    sendJson(response, 405, { ok: false, error: 'Only GET and HEAD.' });
    return;
  }
  const wantsJson = request.headers.accept?.includes('application/json') === true;
  const { path } = targetOf(request);
  switch (path) {
    case '/healthz':
      sendJson(response, 200, { ok: true, phase: health.phase });
      return;
    case '/readyz': {
      const { ready, ...rest } = await health.readiness();
      sendJson(response, ready ? 200 : 503, { ok: ready, ...rest });
      return;
    }
    case '/metrics':
      if (wantsJson) sendJson(response, 200, await metrics.registry.getMetricsAsJSON());
      else sendText(response, 200, metrics.registry.contentType, await metrics.registry.metrics());
      return;
    default:
      if (Object.hasOwn(pages, path)) return pages[path]!(request, response);
      sendJson(response, 404, { ok: false, error: `There are only ${['/healthz', '/readyz', '/metrics', ...Object.keys(pages)].join(', ')}.` });
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
