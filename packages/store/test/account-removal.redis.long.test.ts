/** The removal of an account leaves nothing in Redis, even if it was interrupted or operations were in flight. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { ToLink } from '@perch/schema';
import { needsRedisServer, redisAt, redisCluster, redisMentions, redisUrl, until, type LocalRedisCluster } from '@perch/testkit';
import type { Command } from 'ioredis';
import { openStore, StoreError, type Store } from '../src/index.js';
import { sha256 } from '../src/redis/ids.js';
import { robotKeys, sharedKeys } from '../src/redis/keys.js';
import { Media } from '../src/media/media.js';
import { createFullAccount, drawJob, inSharedHalf, url } from './full-account.js';

for (const on of ['one Redis', 'a Cluster'] as const) {
  describe(`the removal of an account on ${on}`, function () {
    let cluster: LocalRedisCluster | null = null;
    let redis: string;
    let store: Store;
    const opened: Store[] = [];
    const open = async (): Promise<Store> => {
      const made = await openStore({ ...redisAt(redis), instance: `test-${randomBytes(4).toString('hex')}` });
      opened.push(made);
      return made;
    };

    before(async function () {
      if (on === 'a Cluster') {
        needsRedisServer(this);
        cluster = await redisCluster();
      }
      redis = cluster?.url ?? (await redisUrl());
      store = await open();
    });
    after(async () => {
      await Promise.all(opened.map((each) => each.close()));
      await cluster?.stop();
    });

    it('leaves no key that contains the account, its robots, its keys or its e-mail address, and all data of other accounts', async () => {
      const [ada, bob] = [await createFullAccount(store), await createFullAccount(store)];
      const mentioned = await redisMentions(store.connections.commands, ada.texts);
      for (const part of [
        'account-actions',
        'account-action-limits',
        'media:',
        'jobs',
        'pair:',
        'link:',
        'passkey:',
        'reset:',
        'verification:',
        ':activity',
        ':activity:calls',
        ':activity:changes',
        ':usage:',
        ':screens:',
        ada.robots[0]!,
        ada.account,
      ])
        assert.ok(
          mentioned.some((each) => each.includes(part)),
          `nothing of ${part} to remove in ${mentioned.join('\n')}`,
        );
      const others = await redisMentions(store.connections.commands, bob.texts);

      const removed = await store.accountRemoval.remove(ada.email, { settledAfterMs: 100, passEveryMs: 10 });
      assert.deepEqual(removed, { account: ada.account, robots: 3, keys: 3, webhooks: 1 });
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);

      const stayed = await redisMentions(store.connections.commands, bob.texts);
      const lasting = (all: string[]) => all.filter((each) => !/events mentions|account-actions\}|:(?:demand|render-demand)/.test(each));
      assert.deepEqual(lasting(stayed), lasting(others));
      assert.deepEqual((await store.robots.list(bob.account)).length, 3);
      assert.equal((await store.apiKeys.admit({ apiKey: bob.apiKey, cost: 1 })).ok, true);
      assert.equal(await store.accountRemoval.remove(ada.email), null, 'the account no longer exists');
      const again = await store.accounts.create({ email: ada.email });
      assert.notEqual(again.account, ada.account, 'the address can be used again');
    });

    it('ends what the account shared and what was shared with it, and leaves no trace of it at the other account', async () => {
      const [ada, bob] = [await createFullAccount(store), await createFullAccount(store)];
      const accounts = await Promise.all([ada, bob].map(async ({ account }) => (await store.accounts.get(account))!));
      for (const [i, from] of [ada, bob].entries()) {
        const { token } = (await store.guests.makeLink(from.account, from.robots[0]!, 'use'))!;
        assert.ok(await store.guests.accept(token, accounts[1 - i]!));
        await store.guests.makeLink(from.account, from.robots[0]!, 'watch');
      }
      assert.equal((await store.sharedRobots.with(bob.account)).length, 1);
      await store.accountRemoval.remove(ada.email, { settledAfterMs: 100, passEveryMs: 10 });
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);
      assert.deepEqual(await store.sharedRobots.with(bob.account), []);
      const left = await store.guests.of(bob.robots[0]!, store.clock.now());
      assert.deepEqual([left.guests, left.links.length], [[], 1]);
    });

    it('leaves pictures of other accounts whose texts contain its ids, and does not wait for them', async () => {
      const ada = await createFullAccount(store);
      const { account } = await store.accounts.create({ email: `Bob-${randomUUID()}@example.org` });
      const job = { ...drawJob(account), scene: { text: `${ada.account} ${ada.robots[0]!}` } };
      const { priority } = await store.jobs.want({ job, pixels: 1000, flight: 'flight' });
      const id = await store.jobs.request(job, priority);
      assert.ok(await store.accountRemoval.remove(ada.email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 10_000 }));
      const left = await redisMentions(store.connections.commands, [ada.account]);
      assert.equal(left.length, 1, left.join('\n'));
      assert.match(left[0]!, new RegExp(`:render-uploads:${id}\\b`));
    });

    it('completes while accounts use the shared half of the media budget, of which it frees its own part', async () => {
      const ada = await createFullAccount(store);
      const { account } = await store.accounts.create({ email: `Bob-${randomUUID()}@example.org` });
      const media = new Media(store.connections, { accountMb: 32, mb: 8 });
      const picture = { kind: 'picture' as const, format: 'png' as const, w: 320, h: 240, data: Buffer.alloc(600_000) };
      for (const owner of [ada.account, account]) await media.put(owner, sha256('picture'), picture);
      const inShared = () => Promise.all([ada.account, account].map((owner) => inSharedHalf(store, owner)));
      assert.deepEqual(await inShared(), [true, true]);
      assert.ok(await store.accountRemoval.remove(ada.email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 10_000 }));
      assert.deepEqual(await inShared(), [false, true]);
    });

    it('completes although every pass leaves the mark of its own wait for the disk, as with appendfsync always', async () => {
      const ada = await createFullAccount(store);
      const { commands } = store.connections;
      const marks = setInterval(() => {
        for (const tag of [ada.account, ...ada.robots]) void commands.set(sharedKeys.synced(tag), '', 'PX', 1000);
      }, 5);
      try {
        assert.ok(await store.accountRemoval.remove(ada.email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 5_000 }));
      } finally {
        clearInterval(marks);
      }
    });

    it('completes when one pass over the keys takes longer than the time limit of all passes', async () => {
      const ada = await createFullAccount(store);
      assert.ok(await store.accountRemoval.remove(ada.email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 1 }));
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);
    });

    it('closes the sessions of its robots with 4003, refuses its keys and rejects additions to the account', async () => {
      const link = await open();
      const closed: ToLink[] = [];
      await link.linkMailbox.receive(link.instance, (message) => void closed.push(message));
      const ada = await createFullAccount(link);
      const adding = async () => {
        const outcomes = await Promise.allSettled([
          store.robots.create({ account: ada.account }),
          store.apiKeys.create({ account: ada.account }),
          store.webhooks.create(ada.account, { url }),
        ]);
        return outcomes.map(({ status }) => status);
      };
      // Adds to the account continuously while the removal runs.
      const ended = new AbortController();
      const seen = new Set<string>();
      const tries = (async () => {
        while (!ended.signal.aborted) for (const status of await adding()) seen.add(status);
      })();
      await store.accountRemoval.remove(ada.email, { settledAfterMs: 1000 }).finally(() => ended.abort());
      await tries;
      assert.ok(seen.has('rejected'));
      await until(() => closed.length > 0);
      assert.deepEqual(
        closed.map((message) => [message.t, (message as { robot: string }).robot, (message as { code?: number }).code]),
        [['close', ada.robots[0], 4003]],
      );
      assert.equal((await store.apiKeys.admit({ apiKey: ada.apiKey, cost: 1 })).ok, false);
    });

    it('completes on a repeated call after Redis failed at any command of the first', async () => {
      const ada = await createFullAccount(store);
      const faulty = await open();
      let left = Infinity;
      const commands = faulty.connections.commands as unknown as { sendCommand: (command: Command, ...more: unknown[]) => unknown };
      const send = commands.sendCommand.bind(commands);
      commands.sendCommand = (command, ...more) => {
        if (--left >= 0) return send(command, ...more);
        command.reject(new Error('Connection is closed.'));
        return command.promise;
      };
      const passes = { settledAfterMs: 0, passEveryMs: 0 };
      let interruptions = 0;
      for (let commandsUntilFault = 1; ; commandsUntilFault += 4) {
        left = commandsUntilFault;
        const outcome = await faulty.accountRemoval.remove(ada.email, { ...passes, resumedAfterMs: 0 }).catch((error: unknown) => error);
        left = Infinity;
        if (!(outcome instanceof Error)) break;
        assert.ok(outcome instanceof StoreError, String(outcome.stack));
        interruptions += 1;
        // Between two attempts the account either exists unchanged or no longer exists.
        if (interruptions > 3) assert.equal(await store.accounts.findByEmail(ada.email), null);
      }
      assert.ok(interruptions > 5, `${interruptions} interruptions`);
      // If the last command failed, only the account's entry among the removals is left, which a gateway drops.
      await store.accountRemoval.resume(passes);
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);
    });

    it('is resumed by another instance after an instance ended at any command, and is listed no longer afterwards', async () => {
      const ada = await createFullAccount(store);
      const dying = await open();
      const passes = { settledAfterMs: 0, passEveryMs: 0 };
      let seen = 0;
      const outcome = await dying.accountRemoval
        .remove(ada.email, { ...passes, resumedAfterMs: 0, onRevoked: () => void (seen += 1), signal: AbortSignal.abort(new Error('stopped')) })
        .catch((error: unknown) => error);
      assert.ok(outcome instanceof Error && outcome.message === 'stopped');
      assert.equal(seen, 0);
      assert.equal(await store.accounts.findByEmail(ada.email), null, 'the removal has begun');
      const resumed: (string | null)[] = [];
      await until(async () => {
        resumed.push(await store.accountRemoval.resume(passes));
        return resumed.includes(ada.account);
      });
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);
      assert.deepEqual(await store.connections.commands.zrange(sharedKeys.accountRemovals(), '0', '-1'), []);
    });

    it('that was listed and never begun is dropped from the list, and the account stays', async () => {
      const { account } = await store.accounts.create({ email: `Eve-${randomUUID()}@example.org` });
      const { apiKey } = await store.apiKeys.create({ account });
      await store.connections.commands.zadd(sharedKeys.accountRemovals(), 1, `${account} ${'0'.repeat(64)}`);
      assert.equal(await store.accountRemoval.resume(), account);
      assert.equal(await store.accountRemoval.resume(), null);
      assert.equal((await store.apiKeys.admit({ apiKey, cost: 1 })).ok, true);
    });

    it('tells when nobody can use the account any more, before it has read all keys', async () => {
      const ada = await createFullAccount(store);
      const works = async (): Promise<boolean> => (await store.apiKeys.admit({ apiKey: ada.apiKey, cost: 0 })).ok;
      const revoked: Promise<boolean>[] = [];
      await store.accountRemoval.remove(ada.email, { settledAfterMs: 0, passEveryMs: 0, onRevoked: () => void revoked.push(works()) });
      assert.ok(revoked.length > 0);
      assert.deepEqual(
        await Promise.all(revoked),
        revoked.map(() => false),
      );
    });

    it('waits for a webhook message in flight and a picture being drawn, and leaves nothing of them', async () => {
      const ada = await createFullAccount(store);
      let sent = 0;
      let drawn = 0;
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const services = await open();
      const worker = services.deliver({
        concurrency: 2,
        retriesMs: [10_000],
        handlers: {
          send: async () => {
            sent += 1;
            await released;
            return { status: 500, error: 'It did not work.' };
          },
          ended: () => {},
          leftOut: () => {},
        },
      });
      const renderer = services.jobs.work(
        {
          draw: async () => {
            drawn += 1;
            await released;
            return { kind: 'picture', format: 'png', w: 1, h: 1, data: Buffer.from('drawn') };
          },
          sound: () => Promise.reject(new Error('no sound')),
          speech: () => Promise.reject(new Error('no speech')),
        },
        { scenes: 1, uploads: 1, speech: 1 },
      );
      await Promise.all([worker.ready(), renderer.ready()]);
      const again = drawJob(ada.account);
      await store.uploads.put(again, sha256('upload'), Buffer.from('upload'));
      const ended = new AbortController();
      const picture = store.renders.obtain(again, {
        ttlMs: 1000,
        signal: ended.signal,
        uploads: new Map([[sha256('upload'), Buffer.from('upload')]]),
      });
      const pictured = picture.catch((error: unknown) => error);
      await until(() => sent > 0 && drawn > 0);

      const removal = store.accountRemoval.remove(ada.email, { settledAfterMs: 0 });
      const events = [{ name: 'pat' as const, data: {} }];
      const appends = (async () => {
        for (let inSeq = 2; inSeq < 40; inSeq++) await store.events.append(ada.robots[0]!, { session: ada.session, bootId: 'boot1', inSeq, events });
      })();
      await until(async () => (await store.robots.get(ada.robots[0]!)) === null);
      ended.abort(new Error('the key was revoked'));
      release();
      await Promise.all([removal, appends, pictured]);
      await Promise.all([worker.close(), renderer.close()]);
      assert.deepEqual(await redisMentions(store.connections.commands, ada.texts), []);
      assert.equal(await store.connections.commands.exists(robotKeys.waitHead(ada.robots[0]!)), 0);
    });
  });
}
