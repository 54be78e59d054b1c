/** Accounts, their keys and sessions, and the activity of their programs. */
import { createHash } from 'node:crypto';
import type { Step } from './step.js';

export const accountSteps: readonly Step[] = [
  {
    noun: 'account',
    formats: ['account'],
    keys: /^perch:(\{<account>\}|\{accounts\}|\{email:.*)$/,
    async write(store, facts) {
      const { account } = await store.accounts.create({ email: 'golden@example.com' });
      facts['account'] = account;
    },
    read: async (store, facts) => [await store.accounts.get(facts['account']!), await store.accounts.findByEmail('golden@example.com')],
  },
  {
    noun: 'api-key',
    formats: ['api_key'],
    keys: /^perch:(\{<keyHash>\}|\{<account>\}:api-keys)$/,
    async write(store, facts) {
      const { apiKey, id } = await store.apiKeys.create({ account: facts['account']!, name: 'golden', robots: '*' } as never);
      Object.assign(facts, { apiKey, keyId: id, keyHash: (await store.apiKeys.hashOf(facts['account']!, id))! });
      await store.apiKeys.admit({ apiKey, cost: 1 });
    },
    async read(store, facts) {
      const listed = await store.apiKeys.list(facts['account']!);
      const admitted = await store.apiKeys.admit({ apiKey: facts['apiKey']!, cost: 1 });
      // The files have none of the fields that every key has since 0.10.0.
      const known = listed.map(({ agentAt, scopes: _scopes, formerUntil: _former, ...key }) => (agentAt === null ? key : { ...key, agentAt }));
      return [known, admitted.ok && [admitted.account, admitted.robots]];
    },
  },
  {
    noun: 'activity',
    formats: ['activity'],
    keys: /^perch:\{<account>\}:activity(:calls|:changes)?$/,
    async write(store, facts) {
      const at = Math.floor(store.clock.now());
      const key = { id: facts['keyId']!, name: 'golden' };
      const tap = { question: 'Tea?', answer: 'Yes', x: 10, y: 20, tapMs: 900, ms: 1200 };
      const calls = [
        { at, via: 'http' as const, action: 'ask', outcome: 'answered', key, robot: 'r-golden', ...tap },
        { at, via: 'agent' as const, action: 'leds', outcome: 'rate_limited', key, robot: 'r-golden', count: 3, ms: 2 },
      ];
      const changes = [{ at, via: 'page' as const, action: 'key_create', outcome: 'ok', subject: facts['keyId']!, network: '127.0.0.1' }];
      await store.activity.append(facts['account']!, { calls, changes, usage: new Map() });
    },
    async read(store, facts) {
      const page = await store.activity.read(facts['account']!, { after: 0, before: null, limit: 10, kind: null, accept: () => true });
      return page.entries.map(({ at, seq, ...entry }) => ({ ...entry, numbered: seq >= at - 1000 }));
    },
    expires: true,
  },
  {
    noun: 'session',
    formats: ['session'],
    keys: /^perch:(\{<sessionHash>\}|\{<account>\}:sessions|\{<account>\}:devices)$/,
    async write(store, facts) {
      const { secret, keyHash } = await store.sessions.begin(facts['account']!);
      Object.assign(facts, { sessionSecret: secret, sessionHash: keyHash, device: await store.devices.remember(facts['account']!, []) });
    },
    read: async (store, facts) => [
      await store.apiKeys.stillValid([facts['sessionHash']!]),
      (await store.devices.find(facts['account']!, [facts['device']!])) !== null,
    ],
    expires: true,
  },
  {
    noun: 'passkey',
    formats: ['passkey'],
    keys: /^perch:(\{<account>\}:passkeys|\{<account>\}:passkey:<passkey>|\{passkey:.*)$/,
    async write(store, facts) {
      const added = await store.passkeys.add(facts['account']!, {
        name: 'phone',
        host: 'perch.example',
        credential: 'golden-credential',
        publicKey: 'golden-key',
        counter: 3,
        transports: ['internal', 'hybrid'],
        synced: true,
      });
      facts['passkey'] = added!;
      await store.passkeys.use(facts['account']!, facts['passkey'], 4);
    },
    read: async (store, facts) => [await store.passkeys.list(facts['account']!), await store.passkeys.find('golden-credential')],
  },
  {
    noun: 'grant',
    formats: ['grant', 'oauth_client'],
    keys: /^perch:(\{<grant>\}|\{<granted>\}|\{<grantAccount>\}:api-keys|\{oauth-client:.*)$/,
    async write(store, facts) {
      facts['grantAccount'] = 'a-9876501234';
      facts['oauthClient'] = await store.oauthClients.register({ name: 'golden', redirectUris: ['https://client.example/back'] });
      const verifier = 'golden-verifier-golden-verifier-golden-verifier';
      const { code, id } = await store.grants.begin({
        account: facts['grantAccount'],
        name: 'golden',
        robots: '*',
        scopes: ['read', 'ask'],
        max: 10,
        client: facts['oauthClient'],
        address: 'client.example',
        redirectUri: 'https://client.example/back',
        challenge: createHash('sha256').update(verifier).digest('base64url'),
        resource: 'https://perch.example/mcp',
      });
      const issued = await store.grants.exchangeCode(code, { client: facts['oauthClient'], verifier, redirectUri: undefined, resource: undefined });
      if ('refused' in issued) throw new Error(`the golden code was refused: ${issued.refused}`);
      const [grant, granted] = await store.apiKeys.hashesOf(facts['grantAccount'], id);
      Object.assign(facts, { grantId: id, grant, granted, refreshToken: issued.refresh, grantAccess: issued.access });
    },
    async read(store, facts) {
      const refreshed = await store.grants.refresh(facts['refreshToken']!, { client: facts['oauthClient']!, resource: undefined });
      const admitted = await store.apiKeys.admit({ apiKey: facts['grantAccess']!, cost: 1, needs: ['ask'] });
      return [
        await store.oauthClients.find(facts['oauthClient']!),
        'refused' in refreshed ? refreshed : [refreshed.account, refreshed.scopes],
        admitted.ok && [admitted.account, admitted.robots, admitted.scopes],
      ];
    },
    expires: true,
  },
  {
    noun: 'once',
    formats: ['once'],
    keys: /^perch:\{(link|invitation|oidc|challenge):/,
    async write(store, facts) {
      facts['link'] = await store.signInTokens.make(facts['account']!, 600_000);
      facts['signIn'] = await store.oidcSignIns.make('{"state":"golden"}', 600_000);
    },
    read: async (store, facts) => [await store.signInTokens.take(facts['link']!), await store.oidcSignIns.take(facts['signIn']!)],
    expires: true,
  },
  {
    noun: 'mail-links',
    formats: ['account', 'once'],
    keys: /^perch:(\{<verifiedAccount>\}|\{(reset|verification):.*)$/,
    async write(store, facts) {
      facts['reset'] = await store.passwordResets.make(facts['account']!);
      facts['verification'] = await store.emailVerifications.make(facts['account']!, 600_000);
      facts['verifiedAccount'] = 'a-9876543210';
      // Without its address, which would belong to the step account.
      await store.connections.commands.hset('perch:{a-9876543210}', { email: 'golden.mail@example.com', created_at: 1_790_000_000_000 });
      await store.accounts.verify(facts['verifiedAccount']);
    },
    read: async (store, facts) => [
      await store.passwordResets.take(facts['reset']!),
      await store.emailVerifications.take(facts['verification']!),
      (await store.accounts.verifiedAt(facts['verifiedAccount']!)) !== null,
    ],
    expires: true,
  },
];
