import assert from 'node:assert/strict';
import { RobotDirectory } from '../src/robots/robot-directory.js';
import { Bench } from './bench.js';
import { TestLink } from './test-link.js';

describe('the directory of robots', () => {
  let bench: Bench;
  let other: TestLink;
  before(async () => {
    bench = await Bench.start();
    other = await TestLink.start(bench.url);
  });
  after(async () => {
    await other.stop();
    await bench.stop();
  });

  it('a call that has missed a robot for long goes to the session that has it by now; where that is the same still, it gives up', async () => {
    const { robot, token } = await bench.ownerOnline();
    const directory = new RobotDirectory(bench.store);
    const missed = await directory.held(robot);
    const longAgo = performance.now() - 10_000;
    const session = await other.take(robot, token);
    const found = await directory.heldAfter(missed, longAgo);
    assert.equal(found.lease.session, session);
    assert.equal((await directory.heldAfter(found, longAgo)).lease.session, session, 'its robot-link may not know it yet');
    await bench.store.connections.commands.hincrby(`perch:{${robot}}:lease`, 'since', -5000);
    await assert.rejects(directory.heldAfter(found, longAgo), { code: 'robot_offline' });
    assert.equal((await directory.heldAfter(found, performance.now())).lease.session, session, 'sent there once more in a moment');
    assert.equal(directory.looking, 0);
  });
});
