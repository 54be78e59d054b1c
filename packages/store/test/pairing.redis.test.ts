import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { AttemptCounter } from '../src/accounts/attempt-counter.js';
import { newId, sha256 } from '../src/redis/ids.js';
import { robotKeys } from '../src/redis/keys.js';
import { pairingKeys } from '../src/redis/keys.js';
import { Pairing, type PairingPoll } from '../src/robots/pairing.js';
import type { Connections } from '../src/redis/connections.js';
import { Robots } from '../src/robots/robots.js';
import { testConnections } from './checked-scripts.js';

describe('pairing', () => {
  let redis: Connections;
  let robots: Robots;
  let pairing: Pairing;
  const body = { serial: 'SN1', model: 'k151', firmware: '1.0.0' };

  before(async () => {
    redis = await testConnections();
    robots = new Robots(redis);
    pairing = new Pairing(redis, robots, new AttemptCounter(redis));
  });
  after(() => redis.close());

  /** Lets the robot poll again without waiting three seconds. */
  const wait = (deviceCode: string) => redis.commands.hdel(pairingKeys.record(sha256(deviceCode)), 'polled_at');

  it('pairs a robot with the account that enters its code, and returns the token to the robot once', async () => {
    const account = newId('a');
    const begun = await pairing.begin(body);
    assert.match(begun.userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    assert.deepEqual([begun.expiresIn, begun.interval], [600, 3]);
    assert.equal(await pairing.poll(begun.deviceCode), 'authorization_pending');
    const typed = `${begun.userCode.slice(0, 4)}-${begun.userCode.slice(4)} `.toLowerCase();
    const approved = await pairing.approve(account, typed);
    await wait(begun.deviceCode);
    const paired = given(await pairing.poll(begun.deviceCode));
    assert.equal(paired.robot, approved?.robot);
    const record = await robots.byToken(paired.token);
    assert.deepEqual([record?.id, record?.account, record?.serial, record?.model, record?.firmware], [paired.robot, account, 'SN1', 'k151', '1.0.0']);
    assert.equal(await pairing.poll(begun.deviceCode), 'expired_token');
    assert.equal(await pairing.approve(account, begun.userCode), null);
  });

  it('previews the robot of a code and whether it would replace a robot of the account, without pairing', async () => {
    const account = newId('a');
    const serial = randomUUID();
    const { robot: own } = await robots.create({ account, serial });
    const begun = await pairing.begin({ ...body, serial }, { network: '2001:db8::/64', site: randomUUID() });
    const found = { serial, model: 'k151', firmware: '1.0.0', network: '2001:db8::/64' };
    assert.deepEqual(await pairing.find(account, begun.userCode), { ...found, replaces: own });
    assert.deepEqual(await pairing.find(newId('a'), begun.userCode), { ...found, replaces: null });
    assert.equal(await pairing.find(account, 'AAAAAAAA'), null);
    assert.equal(await pairing.poll(begun.deviceCode), 'authorization_pending');
  });

  it('replaces a robot with the same serial only on request, and keeps the code valid until then', async () => {
    const account = newId('a');
    const serial = randomUUID();
    const { robot: own, token } = await robots.create({ account, serial });
    const begun = await pairing.begin({ ...body, serial });
    assert.deepEqual(await pairing.approve(account, begun.userCode, undefined, false), { replaces: own });
    assert.equal((await robots.byToken(token))?.id, own);
    assert.deepEqual(await pairing.approve(account, begun.userCode, undefined, true), { robot: own, replaced: true });
    assert.deepEqual(
      await pairing.approve(account, begun.userCode, undefined, false),
      { robot: own, replaced: false },
      'a repeated approval replaces nothing',
    );
    assert.equal((await pairing.find(account, begun.userCode))?.replaces, null);
  });

  it("revokes the former owner's token when the robot presents it, and keeps that owner's record", async () => {
    const serial = randomUUID();
    const former = await robots.create({ account: newId('a'), serial });
    const begun = await pairing.begin({ ...body, serial }, undefined, former.token);
    await pairing.approve(newId('a'), begun.userCode);
    assert.equal((await robots.byToken(former.token))?.id, former.robot, 'valid until the robot has its new token');
    const paired = given(await pairing.poll(begun.deviceCode));
    assert.deepEqual(paired.former, { robot: former.robot, holder: null });
    assert.equal(await robots.byToken(former.token), null);
    assert.equal((await robots.get(former.robot))?.tokenHash, null);
    assert.equal((await robots.byToken(paired.token))?.id, paired.robot);
  });

  it('changes nothing in another account for a serial without its token', async () => {
    const serial = randomUUID();
    const owned = await robots.create({ account: newId('a'), serial });
    for (const claimed of [null, 'rt_made-up', (await robots.create({ account: newId('a'), serial: randomUUID() })).token]) {
      const begun = await pairing.begin({ ...body, serial }, undefined, claimed);
      await pairing.approve(newId('a'), begun.userCode);
      given(await pairing.poll(begun.deviceCode));
      assert.equal((await robots.byToken(owned.token))?.id, owned.robot);
    }
  });

  it('returns the token to one of many concurrent polls', async () => {
    const begun = await pairing.begin(body);
    await pairing.approve(newId('a'), begun.userCode);
    const polls = await Promise.all(Array.from({ length: 10 }, () => pairing.poll(begun.deviceCode)));
    assert.equal(polls.filter((poll) => typeof poll === 'object').length, 1);
  });

  it('answers slow_down to a robot that polls too often', async () => {
    const begun = await pairing.begin(body);
    assert.equal(await pairing.poll(begun.deviceCode), 'authorization_pending');
    assert.equal(await pairing.poll(begun.deviceCode), 'slow_down');
    await wait(begun.deviceCode);
    assert.equal(await pairing.poll(begun.deviceCode), 'authorization_pending');
  });

  it('pairs a code with one account when several enter it concurrently', async () => {
    const begun = await pairing.begin(body);
    const accounts = Array.from({ length: 8 }, () => newId('a'));
    const answers = await Promise.all(accounts.map((account) => pairing.approve(account, begun.userCode)));
    const winners = accounts.filter((_, i) => answers[i] !== null);
    assert.equal(winners.length, 1);
    const owned = await Promise.all(accounts.map(async (account) => (await robots.list(account)).length));
    assert.deepEqual(owned.toSorted(), [0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('returns the same robot when an account approves a code twice', async () => {
    const account = newId('a');
    const begun = await pairing.begin(body);
    const [first, second] = await Promise.all([pairing.approve(account, begun.userCode), pairing.approve(account, begun.userCode)]);
    assert.ok(first !== null);
    assert.deepEqual(first, second);
  });

  it('gives a known serial the same robot with a new token, and revokes the old token when the new one is fetched', async () => {
    const account = newId('a');
    const first = await robots.create({ account, serial: 'SN7' });
    await redis.commands.hset(robotKeys.lease(first.robot), { state: 'held', instance: 'link-1', session: 's-1', since: 1 });
    const begun = await pairing.begin({ ...body, serial: 'SN7' });
    assert.deepEqual(await pairing.approve(account, begun.userCode), { robot: first.robot, replaced: true });
    assert.equal((await robots.byToken(first.token))?.id, first.robot);
    const paired = given(await pairing.poll(begun.deviceCode));
    assert.deepEqual([paired.robot, paired.holder], [first.robot, { instance: 'link-1', session: 's-1' }]);
    assert.equal(await robots.byToken(first.token), null);
    assert.equal((await robots.byToken(paired.token))?.id, first.robot);
  });

  it('expires a code after 600 s for robot and user', async () => {
    const begun = await pairing.begin(body);
    const names = [pairingKeys.record(sha256(begun.deviceCode)), pairingKeys.userCode(begun.userCode)];
    for (const name of names) assert.ok(Math.abs((await redis.commands.pttl(name)) - 600_000) <= 2000);
    // Approving and polling must neither extend nor restore it.
    await pairing.approve(newId('a'), begun.userCode);
    assert.ok((await redis.commands.pttl(names[0]!)) <= 600_000);
    await redis.commands.del(names[0]!);
    assert.equal(await pairing.poll(begun.deviceCode), 'expired_token');
    assert.equal(await pairing.approve(newId('a'), begun.userCode), null);
    assert.equal(await redis.commands.exists(names[0]!), 0);
  });

  it('checks at most ten wrong codes per account and minute, also when 30 are sent concurrently', async () => {
    const account = newId('a');
    const codes = Array.from({ length: 30 }, () => pairing.approve(account, 'AAAAAAAA').catch((error: { code: string }) => error.code));
    const outcomes = await Promise.all(codes);
    assert.deepEqual(
      [outcomes.filter((outcome) => outcome === null).length, outcomes.filter((outcome) => outcome === 'rate_limited').length],
      [10, 20],
    );
    const begun = await pairing.begin(body);
    await assert.rejects(pairing.approve(account, begun.userCode), { code: 'rate_limited' });
    assert.notEqual(await pairing.approve(newId('a'), begun.userCode), null);
  });

  it('does not count valid codes, so that an account can pair 15 robots in a minute', async () => {
    const account = newId('a');
    for (let i = 0; i < 15; i += 1) {
      const { userCode } = await pairing.begin({ ...body, serial: `many-${i}` });
      assert.notEqual(await pairing.approve(account, userCode), null);
    }
  });

  it('limits a network to 200 pairings in 10 minutes, without effect on other networks', async () => {
    const site = `site-${randomUUID()}`;
    const begin = (network: string) => pairing.begin(body, { network: `${network} of ${site}`, site });
    for (let i = 0; i < 200; i += 1) await begin('one');
    await assert.rejects(begin('one'), { code: 'rate_limited' });
    await begin('other');
  });

  it('limits a site to 800 pairings in 10 minutes over all its networks, without effect on other sites', async () => {
    const site = `site-${randomUUID()}`;
    const attempts = new AttemptCounter(redis);
    await Promise.all(Array.from({ length: 800 }, () => attempts.count('pairingSite', site)));
    await assert.rejects(pairing.begin(body, { network: `new of ${site}`, site }), { code: 'rate_limited' });
    await pairing.begin(body, { network: `elsewhere ${site}`, site: `other ${site}` });
  });

  it('stores no device code in plain text in Redis', async () => {
    const begun = await pairing.begin(body);
    const kept = await redis.commands.hgetall(pairingKeys.record(sha256(begun.deviceCode)));
    assert.equal(kept.serial, 'SN1');
    assert.ok(!JSON.stringify(kept).includes(begun.deviceCode));
  });

  it('refuses new pairings after 50,000 in 10 minutes from all networks', async () => {
    await redis.commands.set(pairingKeys.begun(), 50_000, 'EX', 600);
    try {
      await assert.rejects(pairing.begin(body), { kind: 'full' });
    } finally {
      await redis.commands.del(pairingKeys.begun());
    }
  });
});

function given(poll: PairingPoll) {
  assert.ok(typeof poll === 'object', JSON.stringify(poll));
  return poll;
}
