import type { AuditKind, AuditNote } from './audit.js';
import type { Exchange } from '../http/exchange.js';
import type { Route } from '../http/router.js';
import type { Session } from './auth/session-auth.js';

export interface ConsoleRequest {
  exchange: Exchange;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Empty at first; the handler may add to it. */
  auditNote: AuditNote;
  /** Reads the JSON body, up to 16 KB. @throws {ApiError} as `JsonBodies.read` */
  body: () => Promise<unknown>;
}

export interface SessionRequest extends ConsoleRequest {
  session: Session;
}

interface Audited {
  /** Kind of the audit line that is logged for each request, including those that the handler refuses; see `audit.ts`. */
  audit?: AuditKind;
}

export interface OpenRoute extends Route<ConsoleRequest>, Audited {
  for: 'anyone';
  /** Open routes have their own limits: `sign-in-rate-limiter.ts`. */
  cost: 0;
  /** Whether other sites may navigate a browser to this route, as OpenID Connect providers do. */
  fromElsewhere?: boolean;
}

/** Admission does not check the robot in the path: the handler must check that the account owns it. */
export interface SessionRoute extends Route<SessionRequest>, Audited {
  for: 'session';
  /**
   * Of a route that makes what outlives the session: removes what `handle` made and answered, because the session ended meanwhile. The account may then
   * be somebody else's, who has ended all that there was.
   */
  undo?: (request: SessionRequest, answer: unknown) => Promise<void>;
}

export type ConsoleRoute = OpenRoute | SessionRoute;
