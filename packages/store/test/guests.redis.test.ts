/** Robots that are shared with other accounts: who gets them, until when, and how many. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sharingLimits } from '@perch/schema';
import { needsRedisServer, redisAt, redisCluster, redisUrl, type LocalRedisCluster } from '@perch/testkit';
import { openStore, StoreError, type Account, type Store } from '../src/index.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';

for (const on of ['one Redis', 'a Cluster'] as const) {
  describe(`shared robots on ${on}`, () => {
    let cluster: LocalRedisCluster | null = null;
    let store: Store;
    let owner: Account;
    let guest: Account;
    let robot: string;

    before(async function () {
      if (on === 'a Cluster') {
        needsRedisServer(this);
        cluster = await redisCluster();
      }
      store = await openStore({ ...redisAt(cluster?.url ?? (await redisUrl())), instance: `test-${randomUUID().slice(0, 8)}` });
    });
    beforeEach(async () => {
      [owner, guest] = [await createAccount(), await createAccount()];
      ({ robot } = await store.robots.create({ account: owner.id, name: 'Desk' }));
    });
    after(async () => {
      await store?.close();
      await cluster?.stop();
    });

    async function createAccount(): Promise<Account> {
      const { account } = await store.accounts.create({ email: `${randomUUID()}@example.com` });
      return (await store.accounts.get(account))!;
    }
    const link = async (permission: 'watch' | 'use' = 'watch', of = robot): Promise<string> =>
      (await store.guests.makeLink(owner.id, of, permission))!.token;
    const listed = async ({ id }: Account): Promise<string[]> => (await store.sharedRobots.with(id)).map((each) => each.robot);
    const people = async (): Promise<[string, string][]> =>
      (await store.guests.of(robot, store.clock.now())).guests.map(({ email, permission }) => [email, permission]);
    const links = async (): Promise<number> => (await store.guests.of(robot, store.clock.now())).links.length;

    it('gives a robot to the first account that accepts the link, with the permission of the link', async () => {
      const token = await link('use');
      const other = await createAccount();
      assert.deepEqual(await store.guests.offerOf(token, store.clock.now()), { robot, permission: 'use' });
      const accepted = await Promise.all([guest, other].map((account) => store.guests.accept(token, account)));
      assert.deepEqual(
        accepted.filter((each) => each !== null),
        [{ robot, owner: owner.id, own: false }],
      );
      const [first, second] = accepted[0] === null ? [other, guest] : [guest, other];
      assert.deepEqual(await people(), [[first.email, 'use']]);
      assert.deepEqual([await listed(first), await listed(second)], [[robot], []]);
      assert.equal((await store.guests.find(robot, first.id))?.permission, 'use');
      assert.equal(await store.guests.find(robot, second.id), null);
      assert.deepEqual([await store.guests.offerOf(token, store.clock.now()), await links()], [null, 0]);
    });

    it('keeps the link when the owner opens it, and lists nothing for tokens that no one made', async () => {
      const token = await link();
      assert.deepEqual(await store.guests.accept(token, owner), { robot, owner: owner.id, own: true });
      assert.deepEqual([await links(), await listed(owner), await people()], [1, [], []]);
      for (const made of ['', 'pg_', `pg_${robot.slice(2)}${'A'.repeat(43)}`, `${token}A`, token.replace(/^pg_../, 'pg_}{')]) {
        assert.equal(await store.guests.accept(made, guest), null, made);
        assert.equal(await store.guests.offerOf(made, store.clock.now()), null, made);
      }
      assert.equal(await store.connections.commands.exists(accountKeys.shared(guest.id)), 0);
    });

    it('makes links only of robots of the account, withdraws them, and ends them after their lifetime', async () => {
      assert.equal(await store.guests.makeLink(guest.id, robot, 'use'), null);
      assert.equal(await store.guests.makeLink(owner.id, '}', 'use'), null);
      const made = (await store.guests.makeLink(owner.id, robot, 'watch'))!;
      const lifeMs = made.link.expiresAt - store.clock.now();
      assert.ok(Math.abs(lifeMs - sharingLimits.linkDays * 86_400_000) < 10_000, String(lifeMs));
      assert.ok((await store.connections.commands.pttl(robotKeys.shareLinks(robot))) > 0);
      assert.equal(await store.guests.removeLink(guest.id, robot, made.link.id), false);
      assert.equal(await store.guests.removeLink(owner.id, robot, made.link.id), true);
      assert.equal(await store.guests.accept(made.token, guest), null);
      const late = (await store.guests.makeLink(owner.id, robot, 'watch'))!;
      await store.connections.commands.hset(robotKeys.shareLinks(robot), late.link.id, `watch ${Math.floor(store.clock.now()) - 10_000}`);
      assert.equal(await store.guests.accept(late.token, guest), null);
      assert.deepEqual([await links(), await listed(guest)], [0, []]);
    });

    it('changes and ends the sharing only for the owner', async () => {
      await store.guests.accept(await link('use'), guest);
      assert.equal(await store.guests.change(guest.id, robot, guest.id, 'use'), null);
      assert.equal(await store.guests.remove(guest.id, robot, guest.id), null);
      const pass = { robot, account: guest.id, email: guest.email, needs: 'use' as const };
      assert.deepEqual(await store.guests.stillHave([pass, { ...pass, needs: 'watch' }]), [true, true]);
      assert.equal((await store.guests.change(owner.id, robot, guest.id, 'watch'))?.email, guest.email);
      assert.deepEqual(await store.guests.stillHave([pass, { ...pass, needs: 'watch' }]), [false, true]);
      assert.equal((await store.guests.remove(owner.id, robot, guest.id))?.email, guest.email);
      assert.deepEqual(await store.guests.stillHave([{ ...pass, needs: 'watch' }]), [false]);
      assert.equal(await store.guests.change(owner.id, robot, guest.id, 'use'), null, 'a change brings no one back');
      assert.deepEqual([await people(), await listed(guest)], [[], []]);
    });

    it('shares a robot with at most 20 people and open links, also when links are made in parallel', async () => {
      const made = await Promise.allSettled(Array.from({ length: 24 }, () => link()));
      const refused = made.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      assert.equal(refused.length, 4);
      for (const { reason } of refused) assert.ok(reason instanceof StoreError && reason.kind === 'full', String(reason));
      const token = (made.find(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<string>).value;
      await store.guests.accept(token, guest);
      await assert.rejects(link(), { kind: 'full' });
      await store.guests.remove(owner.id, robot, guest.id);
      await link();
    });

    it('gives an account at most 200 robots of others, and forgets those that were removed', async () => {
      const key = accountKeys.shared(guest.id);
      const now = Math.floor(store.clock.now());
      const others = Array.from({ length: 200 }, (_, i) => `r-${String(i).padStart(10, '0')}`);
      await store.connections.commands.zadd(key, ...others.flatMap((other) => [now, other]));
      const token = await link();
      await assert.rejects(store.guests.accept(token, guest), { kind: 'full' });
      assert.equal(await links(), 1);
      assert.deepEqual(await listed(guest), [], 'entries that grant nothing are not listed');
      assert.equal(await store.connections.commands.zcard(key), 200, 'young ones stay: they may be claimed in a moment');
      await store.connections.commands.zadd(key, ...others.flatMap((other) => [now - 120_000, other]));
      assert.deepEqual(await listed(guest), []);
      assert.deepEqual(await store.guests.accept(token, guest), { robot, owner: owner.id, own: false });
      assert.deepEqual(await listed(guest), [robot]);
    });

    it('ends with the removal of the robot, which leaves no key of it', async () => {
      await store.guests.accept(await link('use'), guest);
      const open = await link();
      await store.robots.remove(owner.id, robot);
      assert.equal(await store.connections.commands.exists(accountKeys.shared(guest.id)), 0);
      for (const key of [robotKeys.guests(robot), robotKeys.shareLinks(robot)]) assert.equal(await store.connections.commands.exists(key), 0, key);
      assert.equal(await store.guests.accept(open, guest), null);
      assert.deepEqual(await listed(guest), []);
    });
  });
}
