import assert from 'node:assert/strict';
import { RobotDirectory } from '../src/robots/robot-directory.js';
import { useGateway } from './gateway-under-test.js';
import type { TestLink } from './test-link.js';

describe('RobotDirectory', () => {
  const system = useGateway();
  let other: TestLink;
  before(async () => {
    other = await system.anotherLink();
  });

  it('returns the new session to a call that missed the robot for long, and gives up if the session is still the same', async () => {
    const { robot, token } = await system.ownerOnline();
    const directory = new RobotDirectory(system.store);
    const missed = await directory.held(robot);
    const longAgo = performance.now() - 10_000;
    const session = await other.take(robot, token);
    const found = await directory.heldAfter(missed, longAgo);
    assert.equal(found.lease.session, session);
    assert.equal((await directory.heldAfter(found, longAgo)).lease.session, session, 'its robot-link may not know it yet');
    await system.store.connections.commands.hincrby(`perch:{${robot}}:lease`, 'since', -5000);
    await assert.rejects(directory.heldAfter(found, longAgo), { code: 'robot_offline' });
    assert.equal((await directory.heldAfter(found, performance.now())).lease.session, session, 'sent there once more in a moment');
    assert.equal(directory.looking, 0);
  });
});
