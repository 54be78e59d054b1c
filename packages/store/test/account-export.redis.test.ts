import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { UsageTally, type Store } from '../src/index.js';
import { sha256, sha256Short } from '../src/redis/ids.js';
import { robotKeys } from '../src/redis/keys.js';
import { closeStores, held, testStore } from './fixtures.js';

interface Exported {
  format: string;
  version: number;
  account: { id: string; email: string; created_at: string; limits: Record<string, unknown> };
  sign_in: {
    password: boolean;
    openid_connect: boolean;
    email_verified_at: string | null;
    passkeys: Record<string, unknown>[];
    sessions: unknown[];
    browsers: unknown[];
  };
  keys: Record<string, unknown>[];
  webhooks: (Record<string, unknown> & { messages: Record<string, unknown>[] })[];
  pictures: { id: string; expires_at: string; image: string }[];
  activity: Record<string, unknown>[];
  usage: { date: string; keys: Record<string, unknown>[] }[];
  shared_robots: Record<string, unknown>[];
  robots: (Record<string, unknown> & { events: { seq: number; name: string; data: unknown; at: string }[] })[];
}

describe('the export of an account', () => {
  let store: Store;
  before(async () => {
    store = await testStore();
    // Announces the heartbeat: without one, the robots of this instance count as offline.
    await store.instances.announce();
  });
  after(closeStores);

  async function exported(email: string): Promise<{ text: string; pieces: string[]; document: Exported }> {
    const pieces: string[] = [];
    for await (const piece of store.accountExport.write((await store.accounts.findByEmail(email))!)) pieces.push(piece);
    const text = pieces.join('');
    return { text, pieces, document: JSON.parse(text) as Exported };
  }

  it('contains all stored data of the account, and no secret or hash of a secret', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await store.accounts.create({ email, password: '$argon2id$hash' });
    await store.accountLimits.set(account, { robots: 7 });
    await store.accounts.verify(account);
    const links = [await store.passwordResets.make(account), await store.emailVerifications.make(account, 60_000)];
    const session = await store.sessions.begin(account);
    const device = await store.devices.remember(account, []);
    const credential = { credential: randomUUID(), publicKey: randomUUID(), counter: 0, transports: [], synced: true };
    await store.passkeys.add(account, { name: 'phone', host: 'perch.example', ...credential });
    const key = await store.apiKeys.create({ account, name: 'a key' });
    const webhook = await store.webhooks.create(account, { url: 'https://example.com/', names: ['pat'] });
    const { robot, token } = await store.robots.create({ account, name: 'Desk', serial: `serial-${account}` });
    await store.robotLabels.change(account, robot, { set: { room: 'r7' } });
    const lease = await held(store, robot, { tokenHash: sha256(token) });
    await store.leases.save(robot, lease.session, {
      readings: { battery_pct: 50 },
      readingsAt: 1000,
      showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
    });
    await store.robotLines.append(robot, lease.session, { level: 'warn', text: 'a line' });
    const events = [{ name: 'pat' as const, data: { side: 'left' } }];
    assert.ok((await store.events.append(robot, { session: lease.session, bootId: 'boot1', inSeq: 1, events })).appended);
    await store.webhookJobs.handOver(robot);
    const other = (await store.accounts.get((await store.accounts.create({ email: `Bob-${account}@example.org` })).account))!;
    const lamp = (await store.robots.create({ account: other.id })).robot;
    const link = async (owner: string, shared: string, permission: 'watch' | 'use'): Promise<string> =>
      (await store.guests.makeLink(owner, shared, permission))!.token;
    await store.guests.accept(await link(account, robot, 'use'), other);
    await store.guests.accept(await link(other.id, lamp, 'watch'), { id: account, email });
    const openLink = await link(account, robot, 'watch');
    const uploads = ['one', 'another'].map((name) => Buffer.from(`${name} of ${account}`));
    for (const bytes of uploads) await store.uploadedPictures.put(account, bytes);

    const used = Object.assign(new UsageTally(), { calls: 1 });
    const asked = { at: 1, via: 'http' as const, action: 'ask', outcome: 'answered', question: 'Tea?', answer: 'Yes' };
    await store.activity.append(account, { calls: [asked], changes: [], usage: new Map([[key.id, used]]) });

    const key1 = { id: key.id, name: 'a key' };
    const question = { id: 's-1', action: 'ask' as const, via: 'agent' as const, key: key1, outcome: 'answered', answer: 'Yes' };
    await store.screenHistory.append(account, new Map([[robot, [{ ...question, at: Math.floor(store.clock.now()), args: { question: 'Tea?' } }]]]));

    const entry = { action: 'show' as const, args: { text: 'Parcel' }, account, keyHash: sha256(key.apiKey), guest: null, requestId: 'q' };
    const number = (await store.waits.number(robot))!;
    const card = { ...entry, via: 'http' as const, holder: '', showMs: 10_000 };
    for (const [i, added] of [card, { ...card, account: other.id }].entries())
      await store.queue.add(robot, number + i, { entry: added, priority: 4, expiresMs: 60_000, question: null });

    const { text, document } = await exported(email);
    assert.deepEqual([document.format, document.version], ['perch-account-export', 1]);
    assert.deepEqual([document.account.id, document.account.email], [account, email]);
    assert.deepEqual(document.account.limits, { robots: 7, keys: 'default', actions_per_second: 'default' });
    const { sessions, browsers, passkeys, email_verified_at: verifiedAt, ...signIn } = document.sign_in;
    assert.deepEqual(
      passkeys.map(({ created_at: createdAt, ...each }) => [typeof createdAt, each]),
      [['string', { name: 'phone', host: 'perch.example', synced: true, last_used_at: null }]],
    );
    assert.ok(Math.abs(Date.parse(verifiedAt ?? '') - store.clock.now()) < 60_000, String(verifiedAt));
    assert.deepEqual([signIn, sessions.length, browsers.length], [{ password: true, openid_connect: false }, 1, 1]);
    assert.deepEqual(
      document.keys.map(({ id, name, robots }) => [id, name, robots]),
      [[key.id, 'a key', '*']],
    );
    const [only] = document.webhooks;
    assert.deepEqual([only?.['id'], only?.['url'], only?.['names'], only?.messages.length], [webhook.id, 'https://example.com/', ['pat'], 1]);
    assert.deepEqual(
      // The id decides the order of uploads in the same millisecond.
      document.pictures.map(({ image }) => Buffer.from(image, 'base64')).toSorted(Buffer.compare),
      uploads.toSorted(Buffer.compare),
    );
    for (const { expires_at: at } of document.pictures) assert.ok(Date.parse(at) > store.clock.now() + 86_000_000);
    assert.deepEqual(
      document.activity.map(({ action, question, answer, at }) => [action, question, answer, typeof at]),
      [['ask', 'Tea?', 'Yes', 'string']],
    );
    assert.deepEqual(document.usage[0]!.keys[0]!['calls'], 1);
    const [desk] = document.robots;
    assert.deepEqual([desk?.['id'], desk?.['name'], desk?.['serial'], desk?.['online']], [robot, 'Desk', `serial-${account}`, true]);
    assert.deepEqual(desk?.['labels'], { room: 'r7' });
    const withoutTimes = (all: unknown): unknown[] =>
      (all as Record<string, unknown>[]).map(({ since: _since, expires_at: _expires, ...others }) => others);
    assert.deepEqual(withoutTimes(desk?.['people']), [{ email: other.email, permission: 'use' }]);
    assert.deepEqual(withoutTimes(desk?.['share_links']), [{ permission: 'watch' }]);
    assert.deepEqual(withoutTimes(document.shared_robots), [{ id: lamp, permission: 'watch' }]);
    assert.ok(!text.includes(openLink) && !text.includes(sha256Short(openLink)));
    assert.deepEqual([desk?.['readings'], desk?.['readings_at']], [{ battery_pct: 50 }, '1970-01-01T00:00:01.000Z']);
    assert.deepEqual(
      (desk!['log'] as { text: string }[]).map((line) => line.text),
      ['a line'],
    );
    const [{ expires_at: expiresAt, ...queued }, ...others] = desk!['queue'] as [{ expires_at: string }];
    assert.deepEqual([queued, others], [{ wait: null, action: 'show', arguments: { text: 'Parcel' }, priority: 4 }, []]);
    assert.ok(Date.parse(expiresAt) > store.clock.now());
    const [shown] = desk!['screens'] as Record<string, unknown>[];
    assert.deepEqual(
      [shown?.['action'], shown?.['via'], shown?.['key'], shown?.['arguments'], shown?.['outcome'], shown?.['answer']],
      ['ask', 'agent', key1, { question: 'Tea?' }, 'answered', 'Yes'],
    );
    assert.deepEqual(
      desk?.events.map(({ seq, name, data }) => [seq, name, data]),
      [[1, 'pat', { side: 'left' }]],
    );
    const secrets = [
      '$argon2id',
      session.secret,
      session.keyHash,
      device,
      sha256Short(device),
      key.apiKey,
      sha256Short(key.apiKey),
      sha256(key.apiKey),
      webhook.secret,
    ];
    for (const secret of [...secrets, ...links, token, sha256(token), credential.credential, credential.publicKey])
      assert.ok(!text.includes(secret), secret);
  });

  it('writes the export in small pieces for any number of robots and events, with each event once and in order', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await store.accounts.create({ email });
    const robots = await Promise.all(Array.from({ length: 12 }, () => store.robots.ensure({ account })));
    const { commands } = store.connections;
    const at = Math.floor(store.clock.now());
    for (const robot of robots) {
      // The embedded Redis takes a second for a thousand.
      for (let from = 1; from <= 1000; from += 100) {
        const pipeline = commands.pipeline();
        for (let seq = from; seq < from + 100; seq++) pipeline.xadd(robotKeys.events(robot), `${seq}-0`, 'n', 'pat', 'd', '{"side":"left"}', 't', at);
        await pipeline.exec();
      }
      await commands.hset(robotKeys.log(robot), 'seq', 1000);
    }
    const { text, pieces, document } = await exported(email);
    assert.deepEqual(
      document.robots.map(({ id }) => id),
      robots.toSorted(),
    );
    for (const { events } of document.robots)
      assert.deepEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 1000 }, (_, i) => i + 1),
      );
    const largest = Math.max(...pieces.map(({ length }) => length));
    assert.ok(text.length > 800_000, `${text.length} characters in all`);
    assert.ok(largest < 100_000, `${largest} characters in one piece`);
  });
});
