/** Permissions of an API key: read robots, act with them, ask people. */
export const keyScopes = ['read', 'act', 'ask'] as const;

export type KeyScope = (typeof keyScopes)[number];
