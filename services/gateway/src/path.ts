/** What the routers of /v1 and /console have in common: a segment of a path, and a path that takes another method. */
import { ApiError } from '@perch/schema';
import type { Exchange } from './exchange.js';

/** A segment of a path as it was meant; null where it cannot be decoded. */
export function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** For a path that is there but takes other methods, which the answer's `allow` names; HEAD is taken where GET is. */
export function wrongMethod(exchange: Exchange, methods: Iterable<string>): ApiError {
  const allowed = Array.from(methods)
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ');
  exchange.setHeader('allow', allowed);
  return new ApiError('method_not_allowed', `This path does not take ${exchange.request.method}; it takes ${allowed}.`);
}
