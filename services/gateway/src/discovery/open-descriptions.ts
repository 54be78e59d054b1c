/** Serves the descriptions that need no API key: `/openapi.json` and `/llms.txt`. */
import { targetOf } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { crossOrigin } from '../http/cors.js';
import type { Discovery } from './discovery.js';
import type { Drain } from '../http/drain.js';
import type { Exchange } from '../http/exchange.js';

export const openPaths = ['/openapi.json', '/llms.txt'];

export function openDescriptions(discovery: Discovery, drain: Drain): (exchange: Exchange) => void {
  return (exchange) => {
    if (crossOrigin(exchange)) return;
    const { request } = exchange;
    const isOpenApi = targetOf(request).path.startsWith('/openapi.json');
    exchange.action = isOpenApi ? 'openapi' : 'llms';
    drain.refuseNew();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      exchange.setHeader('allow', 'GET, HEAD');
      throw new ApiError('method_not_allowed', `This path does not take ${request.method}; it takes GET, HEAD.`);
    }
    if (isOpenApi) exchange.answer(200, discovery.openApi(request));
    else exchange.answer(200, discovery.llmsTxt(request), 'text/plain; charset=utf-8');
  };
}
