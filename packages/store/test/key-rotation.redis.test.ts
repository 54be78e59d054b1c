import assert from 'node:assert/strict';
import { redisAt, redisMentions, redisUrl } from '@perch/testkit';
import type { Command } from 'ioredis';
import { openStore, StoreError, type Store } from '../src/index.js';
import { newId, sha256Short } from '../src/redis/ids.js';
import { accountKeys, apiKeyRecord } from '../src/redis/keys.js';
import { KeyRotation } from '../src/keys/key-rotation.js';

const dayMs = 86_400_000;

describe('rotation of keys', () => {
  let store: Store;
  let account: string;
  let email: string;

  before(async () => {
    store = await openStore({ ...redisAt(await redisUrl()), instance: 'rotation-1' });
  });
  beforeEach(async () => {
    email = `${newId('a')}@example.com`;
    account = (await store.accounts.create({ email })).account;
  });
  after(() => store.close());

  const works = async (apiKey: string): Promise<boolean> => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
  const roll = async (id: string, overlapMs = dayMs) => {
    const rolled = await store.keyRotation.roll(account, id, overlapMs);
    assert.ok(rolled !== null && typeof rolled !== 'string');
    return rolled;
  };

  it('keeps id, name, robots, scopes and expiry, and lists until when the previous secret works', async () => {
    const robot = newId('r');
    const expiresAt = Math.floor(store.clock.now()) + 30 * dayMs;
    const { apiKey, id } = await store.apiKeys.create({ account, name: 'lab', robots: [robot], scopes: ['read'], expiresAt });
    const [before] = await store.apiKeys.list(account);
    const { apiKey: next, formerUntil } = await roll(id);
    assert.deepEqual([await works(apiKey), await works(next)], [true, true]);
    const after = await store.apiKeys.list(account);
    assert.deepEqual(after, [{ ...before!, lastUsed: after[0]!.lastUsed, formerUntil }]);
    const robotOfKey = { id: robot, account };
    for (const secret of [apiKey, next]) {
      const admitted = await store.apiKeys.admit({ apiKey: secret, cost: 0, needs: ['read'], robot: robotOfKey });
      assert.ok(admitted.ok);
      const refused = await store.apiKeys.admit({ apiKey: secret, cost: 0, needs: ['act'], robot: robotOfKey });
      assert.equal(!refused.ok && refused.reason, 'scope_missing');
    }
  });

  it('ends the previous secret after the overlap, at once with none, and no later than the key expires', async () => {
    const { apiKey, id } = await store.apiKeys.create({ account });
    const { apiKey: second } = await roll(id, 300);
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.deepEqual([await works(apiKey), await works(second)], [false, true]);
    assert.equal((await store.apiKeys.list(account))[0]!.formerUntil, null);
    const { apiKey: third, formerUntil } = await roll(id, 0);
    assert.deepEqual([await works(second), await works(third), formerUntil], [false, true, null]);

    const expiresAt = Math.floor(store.clock.now()) + 60_000;
    const short = await store.apiKeys.create({ account, expiresAt });
    assert.equal((await roll(short.id)).formerUntil, expiresAt);
  });

  it('lets at most one previous secret work', async () => {
    const { apiKey: first, id } = await store.apiKeys.create({ account });
    const { apiKey: second } = await roll(id);
    const { apiKey: third } = await roll(id);
    assert.deepEqual([await works(first), await works(second), await works(third)], [false, true, true]);
    assert.equal(await store.keyRotation.endFormer(account, id), true);
    assert.deepEqual([await works(second), await works(third)], [false, true]);
    assert.equal(await store.keyRotation.endFormer(account, id), false);
  });

  it('revokes both secrets, also while others replace them, and leaves none that works without being listed', async () => {
    for (let round = 0; round < 10; round++) {
      const { apiKey, id } = await store.apiKeys.create({ account });
      const secrets = [apiKey, (await roll(id)).apiKey];
      const [rolled, , other] = await Promise.all([
        store.keyRotation.roll(account, id, dayMs),
        store.apiKeys.revoke(account, id),
        store.keyRotation.roll(account, id, 0),
      ]);
      for (const made of [rolled, other]) if (made !== null && typeof made !== 'string') secrets.push(made.apiKey);
      assert.deepEqual(
        await Promise.all(secrets.map(works)),
        secrets.map(() => false),
        `round ${round}`,
      );
      assert.deepEqual(await store.apiKeys.list(account), []);
    }
  });

  it('ends both secrets with the account', async () => {
    const { apiKey, id } = await store.apiKeys.create({ account });
    const { apiKey: next } = await roll(id);
    await store.accountRemoval.remove(email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 10_000 });
    assert.deepEqual([await works(apiKey), await works(next)], [false, false]);
  });

  it('credits webhooks to the newest secret, so that revoking the key finds them', async () => {
    const { id } = await store.apiKeys.create({ account });
    const keyHash = (await store.apiKeys.hashOf(account, id))!;
    const made = await store.webhooks.create(account, { url: 'https://example.com/', keyHash });
    await roll(id, 0);
    const removed = await store.endings.end({ reason: 'key_revoked', account, key: id, removeWebhooks: true });
    assert.deepEqual(
      removed.webhooks.map((webhook) => webhook.id),
      [made.id],
    );
    assert.equal(await store.keyRotation.roll(account, id, 0), null);
  });

  describe('that ends in the middle, as its process does', () => {
    let dying: Store;
    /** Commands that Redis still gets from the dying process; those of a MULTI count as one. */
    let left = Infinity;
    let isInMulti = false;
    let isSent = true;
    before(async () => {
      dying = await openStore({ ...redisAt(await redisUrl()), instance: 'rotation-2' });
      const commands = dying.connections.commands as unknown as { sendCommand: (command: Command, ...more: unknown[]) => unknown };
      const send = commands.sendCommand.bind(commands);
      commands.sendCommand = (command, ...more) => {
        if (!isInMulti) isSent = --left >= 0;
        isInMulti = command.name === 'multi' || (isInMulti && command.name !== 'exec');
        if (isSent) return send(command, ...more);
        command.reject(new Error('Connection is closed.'));
        return command.promise;
      };
      // `durably` would wait on a connection of its own, which does not end here.
      dying.connections.durably = (_keys, work) => work();
    });
    after(() => dying.close());

    // The former secret can be restored for ten times as long, which is more than a script may be late (in-time.ts).
    const pendingMs = 400;
    const later = () => new Promise((resolve) => setTimeout(resolve, pendingMs + 50));
    const pttl = (apiKey: string) => store.connections.commands.pttl(apiKeyRecord(sha256Short(apiKey)));

    for (const overlapMs of [0, dayMs])
      it(`leaves the key as it was, or both secrets with their ends, with an overlap of ${overlapMs} ms`, async () => {
        const rotation = new KeyRotation(dying.connections, dying.webhooks, pendingMs);
        const { commands } = store.connections;
        let undone = 0;
        for (let commandsUntilEnd = 0; ; commandsUntilEnd++) {
          const expiresAt = commandsUntilEnd % 2 === 0 ? undefined : Math.floor(store.clock.now()) + 30 * dayMs;
          const { apiKey, id } = await store.apiKeys.create({ account, ...(expiresAt !== undefined && { expiresAt }) });
          left = commandsUntilEnd;
          const outcome = await rotation.roll(account, id, overlapMs).catch((error: unknown) => error);
          left = Infinity;
          if (!(outcome instanceof Error)) break;
          assert.ok(outcome instanceof StoreError, String(outcome.stack));
          await later();
          const where = `after ${commandsUntilEnd} commands`;
          const listed = (await store.apiKeys.list(account)).find((key) => key.id === id);
          assert.ok(listed, `${where}: the key is not listed`);
          const hashes = (await commands.hget(accountKeys.apiKeys(account), id))!.split(' ');
          const own = sha256Short(apiKey);
          if (hashes[0] === own) {
            undone += 1;
            assert.deepEqual([await works(apiKey), listed.formerUntil, listed.expiresAt], [true, null, expiresAt ?? null], where);
            const lifeMs = await pttl(apiKey);
            assert.ok(expiresAt === undefined ? lifeMs === -1 : lifeMs > 29 * dayMs, `${where}: ends in ${lifeMs} ms`);
            assert.equal(hashes.length, 2, where);
            // It can be replaced as if nothing had happened.
            const again = await store.keyRotation.roll(account, id, overlapMs);
            assert.ok(again !== null && typeof again !== 'string', where);
            assert.equal(await works(again.apiKey), true, where);
          } else {
            assert.equal(hashes[2], own, where);
            const lifeMs = await pttl(apiKey);
            assert.ok(
              lifeMs === -2 || (lifeMs > 0 && lifeMs <= Math.max(overlapMs, 10 * pendingMs)),
              `${where}: the secret before ends in ${lifeMs} ms`,
            );
          }
          assert.equal(await store.apiKeys.revoke(account, id), true, where);
          assert.equal(await works(apiKey), false, where);
        }
        assert.ok(undone >= 3, `${undone} undone`);
      });

    it('leaves no secret behind that is in no list', async () => {
      const rotation = new KeyRotation(dying.connections, dying.webhooks, pendingMs);
      const ids: string[] = [];
      for (let commandsUntilEnd = 0; ; commandsUntilEnd++) {
        const { id } = await store.apiKeys.create({ account });
        ids.push(id);
        left = commandsUntilEnd;
        const outcome = await rotation.roll(account, id, dayMs).catch((error: unknown) => error);
        left = Infinity;
        if (!(outcome instanceof Error)) break;
      }
      await later();
      await store.apiKeys.list(account);
      for (const id of ids) await store.apiKeys.revoke(account, id);
      assert.deepEqual(await redisMentions(store.connections.commands, ids), []);
    });

    it('refuses another new secret, and the end of the old one, until the unconfirmed one has expired', async () => {
      const { apiKey, id } = await store.apiKeys.create({ account });
      const rotation = new KeyRotation(dying.connections, dying.webhooks, 1000);
      const entry = () => store.connections.commands.hget(accountKeys.apiKeys(account), id);
      // Until the new secret is in the list of keys.
      for (let commandsUntilEnd = 1; (await entry())!.split(' ').length === 2; commandsUntilEnd++) {
        left = commandsUntilEnd;
        await rotation.roll(account, id, dayMs).catch(() => null);
        left = Infinity;
      }
      assert.equal(await store.keyRotation.roll(account, id, dayMs), 'changed');
      assert.equal(await store.keyRotation.endFormer(account, id), false);
      assert.equal(await works(apiKey), true);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const rolled = await store.keyRotation.roll(account, id, dayMs);
      assert.ok(rolled !== null && typeof rolled !== 'string');
      assert.deepEqual([await works(apiKey), await works(rolled.apiKey)], [true, true]);
    });
  });
});
