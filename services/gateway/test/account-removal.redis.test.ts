import assert from 'node:assert/strict';
import { EventStreamClient, needsRealRedis, redisMentions, redisUrl } from '@perch/testkit';
import { useGateway } from './gateway-under-test.js';

describe('removing an account, as seen by a gateway', () => {
  before(async function () {
    needsRealRedis(this, await redisUrl(), 'the speed to read every key within a second');
  });
  const system = useGateway();

  it('ends open calls and streams, rejects the keys, does not affect other accounts, and leaves nothing behind', async () => {
    const [owner, other] = [await system.owner(), await system.owner()];
    const { email } = (await system.store.accounts.get(owner.account))!;
    const events = `/v1/robots/${owner.robot}/events`;
    const stream = await EventStreamClient.open(`${system.base}${events}`, { apiKey: owner.apiKey });
    assert.equal(stream.status, 200);
    const polled = system.ask('GET', `${events}?after=1000000&seconds=50`, { apiKey: owner.apiKey });
    await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });

    assert.equal((await system.store.accountRemoval.remove(email))?.robots, 1);
    assert.ok([401, 404].includes((await polled).status), `the poll ended with ${(await polled).status}`);
    await stream.closed;
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).status, 401);
    assert.equal((await system.ask('GET', `/v1/robots/${other.robot}`, { apiKey: other.apiKey })).status, 200);
    const left = await redisMentions(system.store.connections.commands, [owner.account, owner.robot, email]);
    // The mark of a durable write, behind Sentinels: it expires a second later.
    const kept = left.filter((mention) => !mention.startsWith(`perch:{${owner.account}}:synced `));
    assert.deepEqual(kept, []);
  });
});
