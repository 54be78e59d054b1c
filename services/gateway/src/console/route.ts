import type { RequestAction } from '@perch/runtime';
import type { AuditKind } from './audit.js';
import type { Exchange } from '../http/exchange.js';
import type { Session } from './auth/session-auth.js';

export interface AuditNote {
  /** Overrides the route's kind. */
  kind?: AuditKind;
  replaced?: boolean;
}

export interface ConsoleRequest {
  exchange: Exchange;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  auditNote: AuditNote;
  /** Reads the JSON body, up to 16 KB. @throws {ApiError} as `JsonBodies.read` */
  body: () => Promise<unknown>;
}

export interface SessionRequest extends ConsoleRequest {
  session: Session;
}

interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to /console/, such as `robots/{robot}/screen`. */
  path: string;
  label: RequestAction;
  /** Kind of the audit line that is logged for each request, including those that the handler refuses; see `audit.ts`. */
  audit?: AuditKind;
}

/** Returns the JSON of the response, or null if it has sent the response itself. It also serves HEAD: node omits the body. */
type Handle<R extends ConsoleRequest> = (request: R) => Promise<object | null>;

export interface OpenRoute extends RouteBase {
  for: 'anyone';
  /** Whether other sites may navigate a browser to this route, as OpenID Connect providers do. */
  fromElsewhere?: boolean;
  handle: Handle<ConsoleRequest>;
}

export interface SessionRoute extends RouteBase {
  for: 'session';
  /**
   * Tokens that a request takes from the session's bucket (30 deep, 10 per second); default 1. Admission does not check the robot in the path: the
   * handler must check that the account owns it.
   */
  cost?: 0 | 1;
  handle: Handle<SessionRequest>;
}

export type Route = OpenRoute | SessionRoute;
