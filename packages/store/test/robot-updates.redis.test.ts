import type { StoredRobotUpdate } from '@perch/schema';
import assert from 'node:assert/strict';
import { newId } from '../src/redis/ids.js';
import { robotKeys } from '../src/redis/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { Robots } from '../src/robots/robots.js';
import { testConnections } from './checked-scripts.js';

describe('the state of the updates of a robot', () => {
  let redis: Connections;
  let robots: Robots;
  before(async () => {
    redis = await testConnections();
    robots = new Robots(redis);
  });
  after(() => redis.close());

  const offered: StoredRobotUpdate = { offered: '0.2', state: 'none', version: '', at: 1 };

  async function held(): Promise<{ account: string; robot: string }> {
    const account = newId('a');
    const { robot } = await robots.create({ account });
    await redis.commands.hset(robotKeys.record(robot), { firmware: 'micropython-1.27.0 perch-0.1' });
    await redis.commands.hset(robotKeys.lease(robot), { state: 'held', instance: 'link-1', session: 's-1', since: 1 });
    await robots.updates.change(account, robot, () => offered);
    return { account, robot };
  }

  it('is requested once, by the account of the robot, and names the session to tell', async () => {
    const { account, robot } = await held();
    assert.equal(await robots.updates.request(newId('a'), robot, 'page', 1000), 'unknown');
    assert.deepEqual(await robots.updates.request(account, robot, 'page', 1000), {
      version: '0.2',
      holder: { instance: 'link-1', session: 's-1' },
    });
    assert.equal(await robots.updates.request(account, robot, 'operator', 2000), 'running');
    assert.deepEqual(await robots.updates.read(robot), { offered: '0.2', state: 'requested', version: '0.2', at: 1000, via: 'page' });
    const later = await robots.updates.request(account, robot, 'operator', 1000 + 600_001);
    assert.equal(typeof later, 'object', 'a request that has expired may be repeated');
  });

  it('is changed from what was read: of two concurrent changes neither is lost', async () => {
    const { account, robot } = await held();
    const count = (stored: StoredRobotUpdate | null): StoredRobotUpdate => ({ ...stored!, at: stored!.at + 1 });
    await Promise.all([robots.updates.change(account, robot, count), robots.updates.change(account, robot, count)]);
    assert.equal((await robots.updates.read(robot))?.at, 3);
  });

  it('is not written for a robot that was removed, and unreadable state counts as none', async () => {
    const { account, robot } = await held();
    await redis.commands.hset(robotKeys.record(robot), 'update', '{"state":"dreaming"}');
    assert.equal(await robots.updates.read(robot), null);
    await robots.remove(account, robot);
    assert.equal(await robots.updates.change(account, robot, () => offered), null);
    assert.equal(await redis.commands.exists(robotKeys.record(robot)), 0);
  });
});
