/** An account with at least one entry of everything that the store keeps for an account. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { UsageTally, type Store } from '../src/index.js';
import { sha256, sha256Short } from '../src/redis/ids.js';
import { sharedKeys } from '../src/redis/keys.js';
import { renderHash } from '../src/media/renders.js';
import { numbersOfMasters } from '../src/redis/cluster-nodes.js';
import { held } from './fixtures.js';

export const url = 'https://example.com/';

interface FullAccount {
  email: string;
  account: string;
  robots: string[];
  session: string;
  apiKey: string;
  texts: string[];
}

/** Returns true if the media budget of any master charges bytes of the account to its shared half. */
export async function inSharedHalf(store: Store, account: string): Promise<boolean> {
  const { commands } = store.connections;
  const numbers = numbersOfMasters(commands, sharedKeys.mediaBudget);
  const bytes = await Promise.all(numbers.map((number) => commands.hget(sharedKeys.mediaBudgetShared(number), account)));
  return bytes.some((each) => each !== null);
}

export const drawJob = (account: string) => {
  const job = {
    kind: 'draw' as const,
    account,
    scene: { text: randomUUID() },
    uploads: [sha256('upload')],
    formats: ['png' as const],
    bytesMax: 98_304,
  };
  return { ...job, hash: renderHash(job) };
};

export async function createFullAccount(store: Store): Promise<FullAccount> {
  const email = `Ada-${randomUUID()}@example.org`;
  const identity = { issuer: 'https://provider.example', subject: randomUUID() };
  const { account } = await store.accounts.create({ email, password: 'hash', identity });
  await store.accountLimits.set(account, { robots: 50, keys: 50, actionsPerS: 40 });
  await store.sessions.begin(account);
  await store.devices.remember(account, []);
  await store.signInTokens.make(account, 60_000);
  const credential = { credential: randomUUID(), publicKey: 'key', counter: 0, transports: [], synced: false };
  const passkey = (await store.passkeys.add(account, { name: 'phone', host: 'perch.example', ...credential }))!;
  await store.passwordResets.make(account);
  await store.emailVerifications.make(account, 60_000);
  await store.accounts.verify(account);
  for (const of of ['account', 'resetAddress'] as const) await store.attempts.count(of, email);
  await store.attempts.count('verification', account);
  await store.attempts.count('code', account);
  const key = await store.apiKeys.create({ account, name: 'a key' });
  const serial = randomUUID();
  const first = await store.robots.create({ account, serial });
  await store.robotLabels.change(account, first.robot, { set: { room: 'r7' } });
  const second = await store.robots.create({ account });
  const only = await store.apiKeys.create({ account, robots: [second.robot] });
  await store.apiKeys.admit({ apiKey: key.apiKey, cost: 1 });
  const granted = await grantTo(store, account);

  const webhook = await store.webhooks.create(account, { url });
  const { session } = await held(store, first.robot, { tokenHash: (await store.robots.byToken(first.token))!.tokenHash! });
  await store.leases.save(first.robot, session, {
    readings: { battery_pct: 50 },
    readingsAt: 1,
    showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
  });
  await store.robotLines.append(first.robot, session, { level: 'info', text: 'a line' });
  const events = [{ name: 'pat' as const, data: {} }];
  assert.ok((await store.events.append(first.robot, { session, bootId: 'boot1', inSeq: 1, events })).appended);
  // No worker runs, so that the notice of the event and its messages stay as jobs.
  await store.webhookJobs.handOver(first.robot);

  const number = (await store.waits.number(first.robot))!;
  const record = { number, kind: 'ask' as const, regions: [], timeoutMs: 60_000, picture: null, clear: true };
  await store.waits.open(first.robot, record as unknown as Parameters<Store['waits']['open']>[1]);
  await store.calls.begin(first.robot, 'call', { fingerprint: 'f', claim: 'c', gateway: 'g' }, account);
  await store.calls.end(first.robot, 'call', 'c', { result: { text: 'x'.repeat(2000) } } as never);
  await store.calls.begin(second.robot, 'running', { fingerprint: 'f', claim: 'c', gateway: 'g' }, account);

  const begun = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' });
  const approved = await store.pairing.approve(account, begun.userCode);
  const formerOf = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' }, undefined, second.token);
  assert.ok(formerOf.deviceCode);

  await store.media.put(account, 'h'.repeat(64), { kind: 'picture', format: 'png', w: 1, h: 1, data: Buffer.from('bytes') });
  await store.uploadedPictures.put(account, Buffer.from(account));
  const job = drawJob(account);
  await store.uploads.put(job, sha256('upload'), Buffer.from('upload'));
  const { priority } = await store.jobs.want({ job, pixels: 1000, flight: 'flight' });
  // Requested twice, because BullMQ writes the duplicate to the event stream of the queue.
  await store.jobs.request(job, priority);
  await store.jobs.request(job, priority);

  const used = new UsageTally();
  used.calls = 1;
  const at = Math.floor(store.clock.now());
  const call = { at, via: 'http' as const, action: 'face', outcome: 'ok', key: { id: key.id, name: 'a key' }, robot: first.robot };
  const change = { at, via: 'page' as const, action: 'key_create', outcome: 'ok', subject: key.id };
  assert.ok(await store.activity.append(account, { calls: [call], changes: [change], usage: new Map([[key.id, used]]) }));

  const shown = { id: 's-1', at, action: 'show' as const, via: 'http' as const, outcome: 'ok', args: { text: 'a card' } };
  await store.screenHistory.append(account, new Map([[first.robot, [shown]]]));

  store.storage.note(account, `events:${first.robot}`, 100_000);
  await store.storage.report();
  // Written as by the heartbeat of a gateway.
  const rates = JSON.stringify({ at: Math.floor(store.clock.now()) + 60_000, rates: { [account]: [1, 1] } });
  await store.connections.commands.hset(sharedKeys.accountActions(), `gateway-${randomUUID()}`, rates);

  const robots = [first.robot, second.robot, approved!.robot];
  const hashes = [first, second].map(({ token }) => sha256(token));
  const texts = [account, email, ...robots, ...hashes, ...granted, key.id, only.id, webhook.id, serial, passkey, credential.credential];
  return { email, account, robots, session, apiKey: key.apiKey, texts };
}

/** @returns the id of the key, and the hashes of the grant and its two access tokens */
async function grantTo(store: Store, account: string): Promise<string[]> {
  const client = await store.oauthClients.register({ name: 'Agent', redirectUris: ['https://client.example/back'] });
  const verifier = 'v'.repeat(43);
  const to = { client, address: 'client.example', redirectUri: 'https://client.example/back', resource: 'https://perch.example/mcp' };
  const { code, id } = await store.grants.begin({
    account,
    name: 'Agent',
    robots: '*',
    scopes: ['read'],
    max: 100,
    challenge: sha256Short(verifier),
    ...to,
  });
  const issued = await store.grants.exchangeCode(code, { client, verifier, redirectUri: undefined, resource: undefined });
  assert.ok(!('refused' in issued));
  assert.ok(!('refused' in (await store.grants.refresh(issued.refresh, { client, resource: undefined }))));
  return [id, ...(await store.apiKeys.hashesOf(account, id))];
}
