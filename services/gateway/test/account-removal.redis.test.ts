/** What programs see of the removal of their account, while a gateway serves them. */
import assert from 'node:assert/strict';
import { EventStreamClient, needsRealRedis, redisMentions, redisUrl } from '@perch/testkit';
import { Bench } from './bench.js';

describe('the removal of an account, as a gateway sees it', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async function () {
    needsRealRedis(this, await redisUrl(), 'the speed to read every key within a second');
    bench = await Bench.start();
  });
  after(() => bench?.stop());

  it('ends calls and streams that are held, refuses the keys, leaves other accounts alone, and leaves nothing behind', async () => {
    const [owner, other] = [await bench.owner(), await bench.owner()];
    const { email } = (await bench.store.accounts.get(owner.account))!;
    const events = `/v1/robots/${owner.robot}/events`;
    const stream = await EventStreamClient.open(`${bench.base}${events}`, { apiKey: owner.apiKey });
    assert.equal(stream.status, 200);
    const polled = bench.ask('GET', `${events}?after=1000000&seconds=50`, { apiKey: owner.apiKey });
    await bench.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });

    assert.equal((await bench.store.accountRemoval.remove(email))?.robots, 1);
    assert.ok([401, 404].includes((await polled).status), `the poll ended with ${(await polled).status}`);
    await stream.closed;
    assert.equal((await bench.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).status, 401);
    assert.equal((await bench.ask('GET', `/v1/robots/${other.robot}`, { apiKey: other.apiKey })).status, 200);
    assert.deepEqual(await redisMentions(bench.store.connections.commands, [owner.account, owner.robot, email]), []);
  });
});
