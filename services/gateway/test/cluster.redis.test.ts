import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('a gateway on a Redis Cluster', () => {
  let cluster: LocalRedisCluster;
  before(async function () {
    needsRedisServer(this);
    cluster = await redisCluster();
  });
  const system = useGateway(() => ({ url: cluster.url }));
  const owner = useOwner(system);
  after(() => cluster?.stop());

  it('reaches, lists and draws for robots on every node', async () => {
    for (let i = 0; i < 12; i++) {
      const each = await system.ownerOnline();
      assert.equal((await system.act(each, 'show', { text: each.robot })).status, 200);
      const { body } = await system.ask('GET', '/v1/robots', { apiKey: each.apiKey });
      assert.deepEqual([body.robots.length, body.robots[0].online], [1, true]);
      assert.equal((await system.act(each, 'state')).body.readings.battery_pct, 81);
    }
  });

  it('answers a wait, and cancels one whose client disconnects', async () => {
    const answer = system.act(owner, 'ask', { question: 'Coffee?', answers: ['Yes', 'No'] });
    await until(() => system.link.waits.length === 1);
    await system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 1, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'No');

    const hangUp = new AbortController();
    const dropped = system.act(owner, 'ask', { question: 'Coffee?', answers: ['Yes', 'No'] }, hangUp.signal);
    dropped.catch(() => {});
    await until(() => system.link.waits.length === 2);
    hangUp.abort();
    await until(async () => (await system.store.waits.read(owner.robot, system.link.waits[1]!.number))?.outcome?.outcome === 'cancelled');
  });

  it('ends a poll with the next event', async () => {
    const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=20`, { apiKey: owner.apiKey });
    await system.untilHolds(1, 'poll');
    const seq = await system.link.event(owner.robot, 'tap', { x: 1, y: 2 });
    assert.equal((await poll).body.last_seq, seq);
  });
});
