interface CloseCode {
  name: string;
  reason: string;
  /** After 1, 2, 4 ... 60 s; immediately; after a minute if the robot has no other connection; or only after a person acts. */
  redial: 'backoff' | 'at_once' | 'after_a_minute' | 'never';
}

export const closeCodes = {
  4001: { name: 'replaced', reason: 'a newer connection of this robot took over', redial: 'after_a_minute' },
  4003: { name: 'revoked', reason: 'the token was revoked: pair again', redial: 'never' },
  4008: { name: 'too_slow', reason: 'too slow or flooding', redial: 'backoff' },
  4009: { name: 'draining', reason: 'another instance is to take the robot over: this one is stopping, or has too many robots', redial: 'at_once' },
  4010: { name: 'version', reason: 'no common version of the link', redial: 'never' },
  4400: { name: 'malformed', reason: 'malformed message', redial: 'backoff' },
} as const satisfies Record<number, CloseCode>;

export type CloseCodeNumber = keyof typeof closeCodes;
