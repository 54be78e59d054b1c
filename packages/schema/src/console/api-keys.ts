/** API keys on the web page. Types only, as in console.ts. */
import type { KeyScope } from '../api/key-scope.js';

export interface ConsoleKey {
  id: string;
  name: string;
  robots: '*' | string[];
  scopes: readonly KeyScope[];
  created_at: string;
  expires_at: string | null;
  /** RFC 3339, accurate to a minute. */
  last_used: string | null;
  /** RFC 3339: when an agent first listed the tools with it; null: never. */
  agent_at: string | null;
  /** RFC 3339: until then the previous secret works, too; absent: only the newest. */
  former_secret_until?: string;
  /** Host or program of the client that a user connected over OAuth, which has no secret to replace; absent: a key that was created here. */
  client?: string;
}

export interface KeysAnswer {
  ok: true;
  keys: ConsoleKey[];
}

/** POST /console/keys. DELETE /console/keys/{key} revokes one, DELETE /console/keys/{key}?webhooks=remove also removes the webhooks it created. */
export interface AddKeyBody {
  name: string;
  robots: '*' | string[];
  /** Default: `defaultScopes`. */
  scopes?: readonly KeyScope[];
  /** RFC 3339, in the future. */
  expires_at?: string;
}

export interface RevokeKeyAnswer {
  ok: true;
  webhooks: { id: string; url: string; removed: boolean }[];
}

/** POST /console/keys/{key}/secret: replaces the secret. DELETE /console/keys/{key}/former-secret ends the one before at once. */
export interface RollKeyBody {
  /** For how long the secret before works on, up to 7 days. */
  overlap_s: number;
}

/** `api_key` is returned only here. */
export interface RollKeyAnswer {
  ok: true;
  key: { id: string; /** RFC 3339; null: only the new secret works. */ former_secret_until: string | null };
  api_key: string;
}

/** `api_key` is returned only here. */
export interface AddKeyAnswer {
  ok: true;
  key: ConsoleKey;
  api_key: string;
}
