/** Path helpers shared by all routers of the gateway. */
import { ApiError } from '@perch/schema';
import type { Exchange } from './exchange.js';

export function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Returns the error for a path that does not support the request's method, and sets the `allow` header. HEAD is allowed wherever GET is. */
export function wrongMethod(exchange: Exchange, methods: Iterable<string>): ApiError {
  const allowed = Array.from(methods)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
  exchange.setHeader('allow', allowed);
  return new ApiError('method_not_allowed', `This path does not take ${exchange.request.method}; it takes ${allowed}.`);
}
