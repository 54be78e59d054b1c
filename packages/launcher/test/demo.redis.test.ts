import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { redisAt, redisUrl } from '@perch/testkit';
import { openDemo, type Demo } from '../src/demo.js';

describe('the demo of a start', () => {
  let store: Store;
  let state: string;
  let lines: string[];
  before(async () => {
    store = await openStore({ ...redisAt(await redisUrl()), instance: `demo-${randomUUID().slice(0, 8)}` });
  });
  after(() => store?.close());
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'perch state '));
    lines = [];
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));

  const open = (): Promise<Demo> => openDemo(store, { persistence: 'own', url: '' }, state, (line) => lines.push(line));
  const keysOf = async ({ account }: Demo): Promise<string[]> => (await store.apiKeys.list(account)).map(({ id }) => id);

  it('is the saved one, and nothing is printed, while its account, key and robot exist', async () => {
    const demo = await open();
    assert.deepEqual(await open(), demo);
    assert.deepEqual(lines, []);
  });

  it('gets a new key in the same account after its key was revoked, says so without the key, and saves it', async () => {
    const demo = await open();
    const [key] = await keysOf(demo);
    await store.endings.end({ reason: 'key_revoked', account: demo.account, key: key!, removeWebhooks: false });
    const next = await open();
    assert.deepEqual(next, { ...demo, apiKey: next.apiKey });
    assert.equal((await store.apiKeys.admit({ apiKey: next.apiKey, cost: 0 })).ok, true);
    assert.deepEqual(lines, [`the API key of the demo account ${demo.account} was revoked or replaced: created a new one in the same account`]);
    assert.deepEqual(await open(), next);
    assert.equal((await keysOf(next)).length, 1);
  });

  it('gets a new robot in the same account after its robot was removed, and says so', async () => {
    const demo = await open();
    await store.robots.remove(demo.account, demo.robot);
    const next = await open();
    assert.deepEqual([next.account, next.apiKey], [demo.account, demo.apiKey]);
    assert.equal((await store.robots.byToken(next.robotToken))?.id, next.robot);
    assert.match(lines.join(), new RegExp(`^the demo robot ${demo.robot} was removed.*: created ${next.robot} in the same account$`));
  });

  it('is a new one, and says so, once its account was removed', async () => {
    const demo = await open();
    const { email } = (await store.accounts.get(demo.account))!;
    await store.accountRemoval.remove(email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 10_000 });
    const next = await open();
    assert.notEqual(next.account, demo.account);
    assert.match(lines.join(), new RegExp(`^the demo account ${demo.account} does not exist`));
  });
});
