import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { until } from '@perch/testkit';
import { OnlyRobot } from '../../src/mcp/only-robot.js';
import { KeysRobots } from '../../src/rest/robots.js';
import { Bench, type Owner } from '../bench.js';

describe('a tool call without a robot', () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench.stop());

  const keyOf = ({ account }: Owner) => ({ account, keyHash: account, robots: '*' as const });
  /** A fresh one: what another remembers for a second is not this one's. */
  const choose = (owner: Owner) => new OnlyRobot(new KeysRobots(bench.store)).of(keyOf(owner));

  async function problem(choosing: Promise<string>): Promise<string> {
    const error: unknown = await choosing.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ApiError && error.code === 'bad_argument' && error.field === 'robot', String(error));
    return error.message;
  }

  it("acts on the key's only robot, and of several on the only one that is online", async () => {
    const owner = await bench.owner();
    assert.equal(await choose(owner), owner.robot);
    const second = await bench.store.robots.create({ account: owner.account });
    await problem(choose(owner));
    await bench.link.take(second.robot, second.token);
    assert.equal(await choose(owner), second.robot);
    await bench.link.release(second.robot, 'moving');
    assert.equal(await choose(owner), second.robot, 'a robot that moves between instances counts as online');
  });

  it('fails where several robots are online, and lists each with its name and whether it is online', async () => {
    const owner = await bench.ownerOnline();
    const [second, third] = [
      await bench.store.robots.create({ account: owner.account }),
      await bench.store.robots.create({ account: owner.account }),
    ];
    await bench.link.take(second.robot, second.token);
    const message = await problem(choose(owner));
    assert.match(message, /this key has 3 robots, 2 of them online; name one by its id: /);
    assert.match(message, new RegExp(`${owner.robot} \\("Desk", .*online\\)`));
    assert.match(message, new RegExp(`${second.robot} \\([^"]*online\\)`));
    assert.match(message, new RegExp(`${third.robot} \\(offline\\)$`));
  });

  it('follows the robot that is online within about a second', async () => {
    const owner = await bench.ownerOnline();
    const second = await bench.store.robots.create({ account: owner.account });
    const remembering = new OnlyRobot(new KeysRobots(bench.store));
    assert.equal(await remembering.of(keyOf(owner)), owner.robot);
    await bench.link.release(owner.robot, 'away');
    await bench.link.take(second.robot, second.token);
    await until(async () => (await remembering.of(keyOf(owner))) === second.robot, { timeoutMs: 10_000 });
  });

  it('says that there is none where the key has no robot', async () => {
    const owner = await bench.owner();
    await bench.store.robots.remove(owner.account, owner.robot);
    assert.match(await problem(choose(owner)), /this key has no robot yet/);
  });
});
