/** Consent of a user to an OAuth client, which an MCP client is. Types only, as in console.ts. */
import type { KeyScope } from '../api/key-scope.js';

/** POST /console/authorizations/find: {query}, the query of the page's address, as the client sent the browser there. Changes nothing. */
export interface AuthorizationQueryBody {
  query: string;
}

export interface AuthorizationAnswer {
  ok: true;
  client: {
    /** As it calls itself; nobody checked it. */
    name: string;
    /** Host of the document that describes it; null: it registered itself. */
    host: string | null;
    /** Where the browser returns to: a host, a program on this computer, or an app by the scheme of its addresses. */
    place: { kind: 'web' | 'computer' | 'app'; name: string };
  };
  /** Scopes that the client requests. */
  scopes: KeyScope[];
  /** Why it cannot be allowed; null: it can. */
  problem: string | null;
  /** Address at the client that tells it that it is not allowed. */
  cancel: string;
}

/** POST /console/authorizations: allows it. */
export interface ConsentBody {
  query: string;
  robots: '*' | string[];
  scopes: KeyScope[];
}

export interface ConsentAnswer {
  ok: true;
  key: { id: string };
  /** Address at the client, with a code that works once, within a minute. */
  redirect: string;
}
