import { createHash, randomBytes } from 'node:crypto';
import { defaultScopes } from '@perch/schema/plain';
import type { Store } from '@perch/store';
import { inPortions } from './perch.js';

const redirectUri = 'http://127.0.0.1:33418/callback';
const resource = 'http://127.0.0.1:8080/mcp';

/**
 * Access tokens for all robots of the account, as the token endpoint issues them. Each has a grant of its own, and so a rate limit of its own, as each
 * API key has.
 */
export async function accessTokens(store: Pick<Store, 'grants' | 'oauthClients'>, account: string, count: number): Promise<string[]> {
  const client = await store.oauthClients.register({ name: 'bench', redirectUris: [redirectUri] });
  return inPortions(count, async () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const allowed = { account, name: 'bench', robots: '*', scopes: defaultScopes, max: Number.MAX_SAFE_INTEGER, address: 'this computer' } as const;
    const { code } = await store.grants.begin({ ...allowed, client, redirectUri, challenge, resource });
    const issued = await store.grants.exchangeCode(code, { client, redirectUri, verifier, resource });
    if ('refused' in issued) throw new Error(`no access token: ${issued.refused}`);
    return issued.access;
  });
}
