/** Runs every kind of write of the service: what the golden files hold, everything of one account, and the changes, removals and jobs after those. */
import assert from 'node:assert/strict';
import type { DrawJob } from '@perch/schema';
import { until } from '@perch/testkit';
import type { Store } from '../src/index.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/redis/keys.js';
import type { RenderHandlers } from '../src/media/render-work.js';
import { redisScripts, type ScriptName } from '../src/redis/scripts.js';
import { checkScriptOutputs } from './checked-scripts.js';
import { held } from './fixtures.js';
import { createFullAccount, drawJob, url } from './full-account.js';
import { steps } from './golden/scenario.js';

/** Scripts that write nothing, and those whose keys live for a few seconds and whose absence changes nothing that was answered as stored. */
const otherScripts: readonly ScriptName[] = [
  ...(['jobBacklog', 'mediaBudgetBytes', 'renderPlaces', 'renderWanted'] as const),
  ...([
    'diskMark',
    'instanceBeat',
    'instanceGone',
    'jobShardsAnnounce',
    'jobShardsWork',
    'pageTake',
    'renderHold',
    'renderLeave',
    'renderRelease',
  ] as const),
  // Raises the version of the data after an upgrade that needs it: one SET.
  'dataVersionRaise',
];

/**
 * @param open opens a store, which is closed here @param options.jobs leaves out the jobs if false, and does not compare which scripts ran
 * @throws an Error that names the scripts of lua/ that store something and did not run
 */
export async function writeEverything(open: () => Promise<Store>, { jobs = true } = {}): Promise<void> {
  const ran = new Set<ScriptName>();
  const withStore = async (work: (store: Store) => Promise<unknown>): Promise<void> => {
    const store = await open();
    const own = checkScriptOutputs(store.connections);
    try {
      await work(store);
    } finally {
      await store.close();
      for (const name of own) ran.add(name);
    }
  };
  // The numbering of events is sealed when this store closes, and opened again by the next one.
  await withStore(createFullAccount);
  await withStore(async (store) => {
    const facts = {};
    for (const step of steps) await step.write(store, facts);
    await change(store, await createFullAccount(store));
    if (jobs) await workJobs(store);
  });
  if (!jobs) return;
  const left = (Object.keys(redisScripts) as ScriptName[]).filter((name) => !ran.has(name) && !otherScripts.includes(name));
  assert.deepEqual(left, [], 'these scripts of lua/ have not run: add the write that runs them');
}

async function change(store: Store, full: Awaited<ReturnType<typeof createFullAccount>>): Promise<void> {
  const { account, session, apiKey } = full;
  const [robot, second] = full.robots as [string, string];
  const now = Math.floor(store.clock.now());
  const [passkey] = await store.passkeys.list(account);
  await store.passkeys.rename(account, passkey!.id, 'tablet');
  assert.ok(await store.passwords.replace(account, 'hash', 'another hash'));

  const guest = await store.accounts.create({ email: `guest-${account}@example.org` });
  const { token } = (await store.guests.makeLink(account, robot, 'use'))!;
  await store.guests.accept(token, { id: guest.account, email: 'guest@example.org' });
  assert.ok(await store.guests.change(account, robot, guest.account, 'watch'));

  const admitted = await store.apiKeys.admit({ apiKey, cost: 1 });
  assert.ok(admitted.ok);
  await store.apiKeys.noteAgent(admitted.keyHash);
  const { id } = (await store.apiKeys.list(account)).find(({ name }) => name === 'a key')!;
  assert.notEqual(await store.keyRotation.roll(account, id, 600_000), null);
  const other = await store.apiKeys.create({ account, name: 'another' });
  assert.equal((await store.endings.end({ reason: 'key_revoked', account, key: other.id, removeWebhooks: true })).counts.key, 1);

  await store.waits.stop(robot);
  const number = (await store.waits.number(robot))!;
  const entry = {
    action: 'show',
    args: { text: 'next' },
    account,
    keyHash: admitted.keyHash,
    guest: null,
    requestId: 'q',
    via: 'http',
    holder: '',
  } as const;
  for (const each of [number, number + 1])
    await store.queue.add(robot, each, { entry: { ...entry, showMs: 600_000 }, priority: 5, expiresMs: 600_000, question: null });
  const turn = await store.queue.take(robot, 0);
  assert.ok(typeof turn === 'object' && 'taken' in turn);
  assert.ok(await store.queue.step(turn.taken, { step: 'shown', ms: 600_000 }));
  assert.ok(await store.queue.drop(robot, number + 1, { outcome: 'cancelled' }));

  assert.ok(await store.media.find(account, 'h'.repeat(64), 900_000));
  const take = store.growingSounds.take(account, 'speech', 16_000);
  await take.append(Buffer.alloc(3200));
  await take.end();

  const offered = { offered: '2.0.0', state: 'none', version: '1.0.0', at: now } as const;
  assert.ok(await store.robots.updates.change(account, robot, () => offered));
  const webhook = (await store.webhooks.list(account))[0]!;
  await store.webhooks.rollSecret(account, webhook.id, 600_000);
  await store.webhooks.create(account, { url });

  const client = await store.oauthClients.register({ name: 'Forgotten', redirectUris: ['https://client.example/back'] });
  // As another registration does once there are too many.
  assert.equal(await store.connections.script('clientForget', [sharedKeys.oauthClient(client)], [Number.MAX_SAFE_INTEGER]), 1);

  const pairing = await store.pairing.begin({ serial: `polled-${account}`, model: 'm', firmware: '1' });
  await store.pairing.poll(pairing.deviceCode);

  // A session after one of an instance that has no heartbeat.
  const connected = { session, bootId: 'boot1', inSeq: null, events: [{ name: 'connected' as const, data: {} }] };
  assert.ok((await store.events.append(robot, connected)).appended);
  await store.connections.commands.hset(robotKeys.lease(robot), 'instance', 'link-gone');
  const next = await held(store, robot, { dial: 2, tokenHash: (await store.robots.get(robot))!.tokenHash! });
  assert.notEqual(next.session, session);
  for (let inSeq = 1; inSeq <= 3; inSeq += 1) {
    const appended = await store.events.append(robot, {
      session: next.session,
      bootId: 'boot2',
      inSeq,
      events: [{ name: 'shaken', data: { note: 'x'.repeat(500) } }],
    });
    assert.ok(appended.appended);
  }
  const trimmed = [robotKeys.log(robot), robotKeys.events(robot)] as const;
  await store.connections.script('eventsTrim', trimmed, [1000, 10]);
  assert.ok(await store.leases.release(robot, next.session, 'away', { readings: {}, readingsAt: now, showing: null } as never));

  const renewed = await store.robots.renewToken(second);
  await store.robots.endToken(second, (await store.robots.byToken(renewed!.token))!.tokenHash!);
  const removed = await store.robots.create({ account, serial: `gone-${account}` });
  assert.notEqual(await store.robots.remove(account, removed.robot), 'unknown');
  await store.sessions.endAll(account);
  // The script that begins a removal; a whole one takes longer (account-removal.redis.long.test.ts).
  await store.connections.script('accountRemove', [accountKeys.record(guest.account)], []);
}

/** Runs the jobs that wait: renders, of which one fails, and messages of webhooks, of which each fails once and is retried an hour later. */
async function workJobs(store: Store): Promise<void> {
  const made = { kind: 'picture', format: 'png', w: 1, h: 1, data: Buffer.from('drawn') } as const;
  const sound = { kind: 'sound', format: 'pcm_s16le', rate: 16_000, data: Buffer.alloc(320) } as const;
  const handlers: RenderHandlers = {
    draw: (job: DrawJob) => (job.hash === 'draw' ? Promise.reject(new Error('this job fails')) : Promise.resolve(made)),
    sound: () => Promise.resolve(sound),
    speech: () => Promise.resolve(sound),
  };
  const renderer = store.jobs.work(handlers, { scenes: 1, uploads: 1, speech: 1 });
  await renderer.ready();
  const { account } = await store.accounts.create({ email: 'drawn@example.org' });
  await store.renders.obtain({ ...drawJob(account), uploads: [] }, { ttlMs: 600_000 });
  await until(async () => Object.values(await store.jobs.waiting()).every((count) => count === 0), { what: 'the renders to end' });
  await renderer.close();

  let attempts = 0;
  const sender = store.deliver({
    concurrency: 2,
    retriesMs: [3_600_000],
    handlers: { send: () => Promise.resolve({ status: 500, error: 'No.' }), ended: () => (attempts += 1), leftOut: () => undefined },
  });
  await until(() => attempts >= 2, { what: 'two attempts of webhooks' });
  await sender.close();
}
