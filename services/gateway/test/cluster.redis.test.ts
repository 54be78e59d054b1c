import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { Bench, type Owner } from './bench.js';
import { TestLink } from './test-link.js';

describe('a gateway on a Redis Cluster', function () {
  this.timeout(40_000);
  let cluster: LocalRedisCluster;
  let bench: Bench;
  let owner: Owner;

  before(async function () {
    needsRedisServer(this);
    cluster = await redisCluster();
    bench = await Bench.start({ url: cluster.url });
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    bench.link.waits.length = 0;
  });
  after(async () => {
    await bench?.stop();
    await cluster?.stop();
  });

  it('robots on every node are reached, listed and drawn for', async () => {
    for (let i = 0; i < 12; i++) {
      const each = await bench.ownerOnline();
      assert.equal((await bench.act(each, 'show', { text: each.robot })).status, 200);
      const { body } = await bench.ask('GET', '/v1/robots', { apiKey: each.apiKey });
      assert.deepEqual([body.robots.length, body.robots[0].online], [1, true]);
      assert.equal((await bench.act(each, 'state')).body.readings.battery_pct, 81);
    }
  });

  it('a wait is answered, and a hang-up cancels one', async () => {
    const answer = bench.act(owner, 'ask', { question: 'Coffee?', answers: ['Yes', 'No'] });
    await until(() => bench.link.waits.length === 1);
    await bench.link.settle(owner.robot, bench.link.waits[0]!, { outcome: 'answered', index: 1, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'No');

    const hangUp = new AbortController();
    const dropped = bench.act(owner, 'ask', { question: 'Coffee?', answers: ['Yes', 'No'] }, hangUp.signal);
    dropped.catch(() => {});
    await until(() => bench.link.waits.length === 2);
    hangUp.abort();
    await until(async () => (await bench.store.waits.read(owner.robot, bench.link.waits[1]!.number))?.outcome?.outcome === 'cancelled');
  });

  it('a poll ends with the next event', async () => {
    const poll = bench.ask('GET', `/v1/robots/${owner.robot}/events?seconds=20`, { apiKey: owner.apiKey });
    await until(async () => /held_calls\{kind="poll"\} 1/.test(await bench.metrics.metrics()));
    const seq = await bench.link.event(owner.robot, 'tap', { x: 1, y: 2 });
    assert.equal((await poll).body.last_seq, seq);
  });

  it('a robot that went to another instance is found there', async () => {
    const other = await TestLink.start(cluster.url);
    try {
      assert.equal((await bench.act(owner, 'face', { emotion: 'happy' })).status, 200);
      await other.take(owner.robot, owner.token);
      await bench.link.release(owner.robot, 'away');
      assert.equal((await bench.act(owner, 'face', { emotion: 'sad' })).status, 200);
      assert.equal(other.commands.length, 1);
    } finally {
      await other.stop();
    }
  });
});
