import assert from 'node:assert/strict';
import { keyScopes } from '@perch/schema';
import { until } from '@perch/testkit';
import type { Admission } from '../src/keys/admissions.js';
import { ApiKeys, type NewKey } from '../src/keys/api-keys.js';
import { newId } from '../src/redis/ids.js';
import { apiKeyRecord } from '../src/redis/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';

describe('api keys', () => {
  let redis: Connections;
  let keys: ApiKeys;

  before(async () => {
    redis = await testConnections();
    keys = new ApiKeys(redis);
  });
  after(() => redis.close());

  const robotOf = (account: string) => ({ id: newId('r'), account });
  const fresh = async (more: Pick<NewKey, 'robots' | 'scopes' | 'expiresAt'> = {}) => {
    const account = newId('a');
    return { account, ...(await keys.create({ account, name: 'toy', ...more })) };
  };

  /** A key that soon expires, and was admitted before. On a busy machine it expires first, and the next one gets more time. */
  const admittedOnce = async (fractionMs = 0, lifeMs = 300): Promise<{ apiKey: string; account: string; keyHash: string }> => {
    const expiresAt = Math.floor((await timeUs(redis)) / 1000) + lifeMs + fractionMs;
    const { apiKey, account } = await fresh({ expiresAt });
    const admission = await keys.admit({ apiKey, cost: 1 });
    if (!admission.ok && (await timeUs(redis)) / 1000 > expiresAt) return admittedOnce(fractionMs, 2 * lifeMs);
    return { apiKey, account, keyHash: granted(admission).keyHash };
  };

  it('admits the calls of one tick in batches of 64 per command, on a Cluster with one command each, and each with its own key', async () => {
    const sent: number[] = [];
    const counted = new ApiKeys({ ...redis, script: (name, ...rest) => (sent.push(rest[0].length), redis.script(name, ...rest)) });
    const owners = await Promise.all([fresh(), fresh(), fresh({ robots: [] })]);
    const calls = Array.from({ length: 96 }, (_, i) => owners[i % 3]!);
    const admitted = await Promise.all(
      calls.map(({ apiKey, account }, i) => counted.admit(i % 2 === 0 ? { apiKey, cost: 1 } : { apiKey, cost: 1, robot: robotOf(account) })),
    );
    assert.deepEqual(sent, redis.isCluster ? calls.map(() => 1) : [64, 32]);
    for (const [i, admission] of admitted.entries()) {
      const reaches = i % 3 !== 2 || i % 2 === 0;
      if (admission.ok) assert.deepEqual([reaches, admission.account], [true, calls[i]!.account]);
      else assert.equal(admission.reason, reaches ? 'rate_limited' : 'foreign_robot');
    }
    const passed = owners.map((owner) => admitted.filter((admission, i) => calls[i] === owner && admission.ok).length);
    assert.ok(passed[0]! >= 30 && passed[1]! >= 30 && passed[2] === 16, passed.join(' '));
    assert.deepEqual(await counted.admit({ apiKey: 'pk_nothing', cost: 1 }), { ok: false, reason: 'unauthorized' });
  });

  it('admits each call of one tick for its own robot and account, whether that of the call before is the same or not', async () => {
    const [one, other] = await Promise.all([fresh(), fresh()]);
    const few = await fresh({ robots: [newId('r')] });
    const reasons = async (calls: readonly (readonly [caller: { apiKey: string }, robotOwner: { account: string } | null])[]): Promise<string[]> => {
      const admitted = await Promise.all(
        calls.map(([{ apiKey }, owner]) => keys.admit({ apiKey, cost: 1, needs: ['act'], ...(owner !== null && { robot: robotOf(owner.account) }) })),
      );
      return admitted.map((admission) => (admission.ok ? admission.account : admission.reason));
    };
    const calls = [
      [one, one],
      [one, one],
      [other, one],
      [one, null],
      [one, one],
      [other, null],
      [other, other],
      [one, other],
      [few, few],
      [few, null],
      [one, one],
    ] as const;
    const expected = calls.map(([caller, owner]) => {
      const reaches = owner === null || (caller === owner && caller !== few);
      return reaches ? caller.account : 'foreign_robot';
    });
    assert.deepEqual(await reasons(calls), expected);
    assert.deepEqual(await reasons(calls.toReversed()), expected.toReversed());
  });

  it('sends at most 80 bytes, to a Cluster 96, to Redis and back for each call of one tick that names a robot, the 51 of the key among them', async () => {
    let bytes = 0;
    const counted = new ApiKeys({
      ...redis,
      script: async (name, names, args) => {
        const reply = await redis.script(name, names, args);
        bytes += [...names, ...args, ...[reply].flat()].reduce<number>((sum, text) => sum + String(text).length, 0);
        return reply;
      },
    });
    const { apiKey, account } = await fresh();
    const calls = 8;
    const admitted = await Promise.all(
      Array.from({ length: calls }, () => counted.admit({ apiKey, cost: 1, needs: ['act'], robot: robotOf(account) })),
    );
    assert.ok(admitted.every(({ ok }) => ok));
    assert.ok(bytes <= (redis.isCluster ? 96 : 80) * calls, `${bytes / calls} bytes a call`);
  });

  it('refuses a key a call for which it lacks a scope, and takes nothing from its bucket', async () => {
    const { apiKey, account } = await fresh({ scopes: ['read', 'ask'] });
    const robot = robotOf(account);
    const before = await keys.admit({ apiKey, cost: 0 });
    for (const needs of [['act'], ['read', 'act']] as const) {
      for (const named of [{}, { robot }]) {
        const refused = await keys.admit({ apiKey, cost: 1, needs, ...named });
        assert.ok(!refused.ok && refused.reason === 'scope_missing');
        assert.deepEqual([refused.scopes, refused.account, refused.remaining], [['read', 'ask'], account, before.ok && before.remaining]);
      }
    }
    for (const needs of [[], ['read'], ['ask'], ['read', 'ask']] as const) {
      const admitted = await keys.admit({ apiKey, cost: 1, needs, robot });
      assert.deepEqual(admitted.ok && [admitted.scopes, admitted.account, admitted.robots], [['read', 'ask'], account, [robot.id]]);
    }
    const unnamed = await keys.admit({ apiKey, cost: 0 });
    assert.equal(unnamed.ok && unnamed.robots, '*');
    const foreign = await keys.admit({ apiKey, cost: 1, needs: ['act'], robot: robotOf(newId('a')) });
    assert.equal(!foreign.ok && foreign.reason, 'foreign_robot');
  });

  it('admits a key with approve to what needs ask or approve, and to nothing that needs ask', async () => {
    const { apiKey, account } = await fresh({ scopes: ['approve'] });
    const robot = robotOf(account);
    for (const needs of [['ask or approve'], []] as const) {
      const admitted = await keys.admit({ apiKey, cost: 1, needs, robot });
      assert.deepEqual(admitted.ok && [admitted.scopes, admitted.robots], [['approve'], [robot.id]], needs.join());
    }
    for (const needs of [['ask'], ['read'], ['act'], ['read', 'act'], ['read', 'ask or approve']] as const) {
      const refused = await keys.admit({ apiKey, cost: 1, needs, robot });
      assert.ok(!refused.ok && refused.reason === 'scope_missing', needs.join());
      assert.deepEqual(refused.scopes, ['approve']);
    }
    for (const scopes of [undefined, ['ask'] as const, ['read', 'ask', 'approve'] as const]) {
      const other = await fresh(scopes === undefined ? {} : { scopes });
      const admitted = await keys.admit({ apiKey: other.apiKey, cost: 1, needs: ['ask or approve'], robot: robotOf(other.account) });
      assert.deepEqual(admitted.ok && admitted.scopes, scopes ?? ['read', 'act', 'ask']);
    }
    const without = await fresh({ scopes: ['read', 'act'] });
    const refused = await keys.admit({ apiKey: without.apiKey, cost: 1, needs: ['ask or approve'], robot: robotOf(without.account) });
    assert.equal(!refused.ok && refused.reason, 'scope_missing');
  });

  it('keeps a scoped key to its robots, lists both, and rates it as any other', async () => {
    const [robot, other] = [newId('r'), newId('r')];
    const { apiKey, account } = await fresh({ robots: [robot], scopes: ['act'] });
    const reached = await keys.admit({ apiKey, cost: 30, needs: ['act'], robot: { id: robot, account } });
    assert.deepEqual(reached.ok && reached.remaining, 0);
    const limited = await keys.admit({ apiKey, cost: 30, needs: ['act'], robot: { id: robot, account } });
    assert.equal(!limited.ok && limited.reason, 'rate_limited');
    const foreign = await keys.admit({ apiKey, cost: 0, robot: { id: other, account } });
    assert.equal(!foreign.ok && foreign.reason, 'foreign_robot');
    const [listed] = await keys.list(account);
    assert.deepEqual([listed!.robots, listed!.scopes], [[robot], ['act']]);
    assert.deepEqual((await keys.list((await fresh()).account)).length, 1);
  });

  it('writes scopes and robots of a scoped key into one field, and none into `robots`, which a key with the default scopes has alone', async () => {
    const scoped = await fresh({ scopes: ['read'] });
    const full = await fresh({ scopes: ['ask', 'act', 'read'] });
    const fields = async ({ account, id }: { account: string; id: string }) =>
      redis.commands.hmget(apiKeyRecord((await keys.hashOf(account, id))!), 'robots', 'scoped');
    assert.deepEqual(await fields(scoped), [',', 'r *']);
    assert.deepEqual(await fields(full), ['*', null]);
    // 0.10 reads no `p`: for it the first key has no scope, and the second those that it has besides.
    assert.deepEqual(await fields(await fresh({ scopes: ['approve'] })), [',', 'p *']);
    assert.deepEqual(await fields(await fresh({ scopes: keyScopes })), [',', 'rakp *']);
  });

  it('refuses every robot to a key whose scopes a later release wrote', async () => {
    const { apiKey, account, id } = await fresh();
    await redis.commands.hset(apiKeyRecord((await keys.hashOf(account, id))!), 'scoped', 'r2 {"all":true} x');
    const refused = await keys.admit({ apiKey, cost: 1, robot: robotOf(account) });
    assert.equal(!refused.ok && refused.reason, 'foreign_robot');
  });

  it('expires a key whose expiry is a fraction of a ms', async () => {
    const { apiKey } = await admittedOnce(0.5);
    await until(async () => !(await keys.admit({ apiKey, cost: 0 })).ok);
  });

  it('refuses an unknown key without writing anything', async () => {
    assert.deepEqual(await keys.admit({ apiKey: 'pk_nothing', cost: 1 }), { ok: false, reason: 'unauthorized' });
    assert.deepEqual(await keys.admit({ apiKey: '', cost: 1 }), { ok: false, reason: 'unauthorized' });
  });

  it('refuses a revoked key as soon as the revocation is confirmed', async () => {
    const { apiKey, account, id } = await fresh();
    const { keyHash } = granted(await keys.admit({ apiKey, cost: 1 }));
    assert.deepEqual(await keys.stillValid([keyHash]), [true]);
    assert.equal(await keys.revoke(account, id), true);
    assert.deepEqual(await keys.admit({ apiKey, cost: 1 }), { ok: false, reason: 'unauthorized' });
    assert.deepEqual(await keys.stillValid([keyHash]), [false]);
    assert.deepEqual(await keys.list(account), []);
    assert.equal(await keys.revoke(account, id), false);
  });

  it('does not revoke a key of another account', async () => {
    const { apiKey, id } = await fresh();
    assert.equal(await keys.revoke(newId('a'), id), false);
    granted(await keys.admit({ apiKey, cost: 1 }));
  });

  it('refuses a key as soon as it expires', async () => {
    const { apiKey, account, keyHash } = await admittedOnce();
    await until(async () => !(await keys.admit({ apiKey, cost: 0 })).ok);
    assert.deepEqual(await keys.admit({ apiKey, cost: 1 }), { ok: false, reason: 'unauthorized' });
    assert.deepEqual(await keys.stillValid([keyHash]), [false]);
    assert.deepEqual(await keys.list(account), []);
  });

  it('admits a key for all or the selected robots of its account, and refuses others without cost', async () => {
    const all = await fresh();
    granted(await keys.admit({ apiKey: all.apiKey, robot: robotOf(all.account), cost: 1 }));
    const foreign = await keys.admit({ apiKey: all.apiKey, robot: robotOf(newId('a')), cost: 1 });
    assert.ok(!foreign.ok && foreign.reason === 'foreign_robot' && foreign.remaining === 29);

    const chosen = [newId('r'), newId('r')];
    const few = await fresh({ robots: chosen });
    for (const id of chosen) granted(await keys.admit({ apiKey: few.apiKey, robot: { id, account: few.account }, cost: 1 }));
    for (const id of [newId('r'), chosen[0]!.slice(0, -1), '*']) {
      const refused = await keys.admit({ apiKey: few.apiKey, robot: { id, account: few.account }, cost: 1 });
      assert.ok(!refused.ok && refused.reason === 'foreign_robot' && refused.remaining === 28);
    }
    const moved = await keys.admit({ apiKey: few.apiKey, robot: { id: chosen[0]!, account: newId('a') }, cost: 1 });
    assert.ok(!moved.ok && moved.reason === 'foreign_robot');
    const none = await fresh({ robots: [] });
    assert.equal((await keys.admit({ apiKey: none.apiKey, robot: robotOf(none.account), cost: 1 })).ok, false);
    assert.deepEqual(granted(await keys.admit({ apiKey: few.apiKey, cost: 0 })).robots, chosen);
  });

  it('lists keys without their secrets', async () => {
    const account = newId('a');
    const first = await keys.create({ account, name: 'one' });
    const second = await keys.create({ account, name: 'two', robots: ['r-1'] });
    await keys.admit({ apiKey: second.apiKey, cost: 1 });
    const listed = await keys.list(account);
    assert.deepEqual(
      listed.map(({ id, name, robots, expiresAt }) => ({ id, name, robots, expiresAt })).toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { id: first.id, name: 'one', robots: '*', expiresAt: null },
        { id: second.id, name: 'two', robots: ['r-1'], expiresAt: null },
      ],
    );
    for (const { apiKey } of [first, second]) assert.ok(!JSON.stringify(listed).includes(apiKey.slice(3)));
    assert.equal(listed.find(({ id }) => id === first.id)!.lastUsed, null);
    assert.ok(Math.abs(listed.find(({ id }) => id === second.id)!.lastUsed! * 1000 - (await timeUs(redis))) < 5_000_000);
  });

  it('stores no key in plain text in Redis', async () => {
    const { apiKey, account } = await fresh();
    const { keyHash } = granted(await keys.admit({ apiKey, cost: 1 }));
    const record = await redis.commands.hgetall(`perch:{${keyHash}}`);
    assert.equal(record.account, account);
    assert.ok(!JSON.stringify(record).includes(apiKey.slice(3)));
  });

  it('updates the last use of a key at most once a minute', async () => {
    const { apiKey } = await fresh();
    const { keyHash } = granted(await keys.admit({ apiKey, cost: 1 }));
    const name = `perch:{${keyHash}}`;
    const before = Number(await redis.commands.hget(name, 'last_used'));
    await keys.admit({ apiKey, cost: 1 });
    assert.equal(Number(await redis.commands.hget(name, 'last_used')), before);
    await redis.commands.hset(name, 'last_used', before - 60_000);
    await keys.admit({ apiKey, cost: 1 });
    assert.ok(Number(await redis.commands.hget(name, 'last_used')) >= before);
  });

  it('stores when an agent first connected with a key, and does not recreate a revoked one', async () => {
    const { apiKey, account } = await fresh();
    const { keyHash } = granted(await keys.admit({ apiKey, cost: 1 }));
    const agentAt = async (): Promise<number | null | undefined> => (await keys.list(account))[0]?.agentAt;
    assert.equal(await agentAt(), null);
    await keys.noteAgent(keyHash);
    const first = await agentAt();
    assert.ok(Math.abs(first! * 1000 - (await timeUs(redis))) < 5_000_000);
    await keys.noteAgent(keyHash);
    assert.equal(await agentAt(), first);
    await keys.revoke(account, (await keys.list(account))[0]!.id);
    await keys.noteAgent(keyHash);
    assert.equal(await redis.commands.exists(`perch:{${keyHash}}`), 0);
  });

  it('returns which of many keys are still valid, in one call', async () => {
    const [a, b] = [await fresh(), await fresh()];
    const hashes = [
      granted(await keys.admit({ apiKey: a.apiKey, cost: 0 })).keyHash,
      'nothing',
      granted(await keys.admit({ apiKey: b.apiKey, cost: 0 })).keyHash,
    ];
    assert.deepEqual(await keys.stillValid(hashes), [true, false, true]);
    assert.deepEqual(await keys.stillValid([]), []);
  });

  it('checks hundreds of valid keys with one command, on a Cluster with one each, and finds the one that has expired', async () => {
    const hashes = Array.from({ length: 600 }, () => newId('k'));
    await Promise.all(hashes.map((hash) => redis.commands.hset(`perch:{${hash}}`, 'account', 'a')));
    let sent = 0;
    const { commands } = redis;
    const exists = (...records: string[]): Promise<number> => {
      sent += 1;
      return commands.exists(...records);
    };
    const counting = new Proxy(commands, { get: (target, name) => (name === 'exists' ? exists : Reflect.get(target, name)) });
    const counted = new ApiKeys({ ...redis, commands: counting });
    assert.deepEqual(new Set(await counted.stillValid(hashes)), new Set([true]));
    assert.equal(sent, redis.isCluster ? hashes.length : 2);
    await commands.unlink(`perch:{${hashes[7]}}`);
    const valid = await counted.stillValid(hashes);
    assert.deepEqual(
      hashes.filter((_, i) => !valid[i]),
      [hashes[7]],
    );
    await Promise.all(hashes.map((hash) => commands.unlink(`perch:{${hash}}`)));
  });
});

function granted(admission: Admission) {
  assert.ok(admission.ok, JSON.stringify(admission));
  return admission;
}

async function timeUs({ commands }: Connections): Promise<number> {
  const [seconds, micros] = await commands.time();
  return Number(seconds) * 1e6 + Number(micros);
}
