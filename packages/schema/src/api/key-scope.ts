/** Permissions of an API key: read robots, act with them, ask people, ask them for approvals. */
export const keyScopes = ['read', 'act', 'ask', 'approve'] as const;

export type KeyScope = (typeof keyScopes)[number];

/** Scopes of a key for which none are chosen. `approve` is not among them: a key has it only if it is named. */
export const defaultScopes = ['read', 'act', 'ask'] as const satisfies readonly KeyScope[];

/** A call can also need one of two scopes. */
export type ScopeNeed = KeyScope | 'ask or approve';
