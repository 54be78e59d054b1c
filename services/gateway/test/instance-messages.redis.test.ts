import assert from 'node:assert/strict';
import { Bench, type Owner } from './bench.js';

describe('replies of other instances that a gateway cannot read', () => {
  let bench: Bench;
  let owner: Owner;
  before(async () => {
    bench = await Bench.start();
    owner = await bench.ownerOnline();
  });
  after(() => bench.stop());

  it('ends the call with outcome_unknown at once, since the robot may have done it, and counts the reply', async () => {
    const before = performance.now();
    bench.link.answer = ({ id }) => ({ t: 'acknowledged_in_full', id }) as never;
    const answer = await bench.act(owner, 'face', { emotion: 'happy' });
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    assert.ok(performance.now() - before < 5000, 'long before the 13 s that silence takes');
    assert.equal(bench.link.commands.length, 1, 'it was not sent again');
    assert.match(await bench.metrics.metrics(), /perch_gateway_instance_messages_unreadable_total\{reason="type"\} 1/);
  });

  it('retries a command that the robot-link answers with not_here for some 3 s and then answers 503 robot_offline', async function () {
    this.timeout(15_000);
    bench.link.commands.length = 0;
    bench.link.answer = ({ id }) => ({ t: 'not_here', id });
    const answer = await bench.act(owner, 'leds', { color: 'red' });
    assert.deepEqual([answer.status, answer.body.code], [503, 'robot_offline']);
    assert.ok(bench.link.commands.length < 100, `${bench.link.commands.length} commands`);
  });
});
