/** One path and method of the console: who may ask, and what answers. */
import type { RequestAction } from '@perch/runtime';
import type { AuditKind } from './audit.js';
import type { Exchange } from '../http/exchange.js';
import type { Session } from './auth/session-auth.js';

/** What only the handler of a route knows about its call; see `audit.ts`. */
export interface AuditNote {
  /** In place of the route's kind. */
  kind?: AuditKind;
  replaced?: boolean;
}

export interface Asked {
  exchange: Exchange;
  /** The parts of the path that stand in braces in the route's, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** What the handler adds to the call's audit line. */
  noted: AuditNote;
  /** Reads the JSON body, at most 16 KB. @throws {ApiError} as `JsonBodies.read` */
  body: () => Promise<unknown>;
}

export interface AskedBySession extends Asked {
  session: Session;
}

interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /console, without a slash at its beginning: `robots/{robot}/screen`. */
  path: string;
  /** The label `action` of the metrics. */
  label: RequestAction;
  /** Kind of the audit line that each call leaves in the log, including calls that the handler refuses; see `audit.ts`. */
  audit?: AuditKind;
}

/** Answers the JSON it returns, or null where it answered by itself. HEAD is GET without its body, which node leaves out. */
type Handle<A extends Asked> = (asked: A) => Promise<object | null>;

export interface OpenRoute extends RouteBase {
  for: 'anyone';
  /** Where other sites may lead a browser, as OpenID Connect providers do. */
  fromElsewhere?: boolean;
  handle: Handle<Asked>;
}

export interface SessionRoute extends RouteBase {
  for: 'session';
  /** What a call takes from the session's bucket (30 deep, 10 a second); 1 unless said. A robot in the path is not looked at by this. */
  cost?: 0 | 1;
  handle: Handle<AskedBySession>;
}

export type Route = OpenRoute | SessionRoute;
