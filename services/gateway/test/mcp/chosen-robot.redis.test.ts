import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { until } from '@perch/testkit';
import { ChosenRobot } from '../../src/mcp/tool-calls.js';
import { RobotListReader } from '../../src/robots/robot-list-reader.js';
import { useGateway, type Owner } from '../gateway-under-test.js';

describe('a tool call without the id of a robot', () => {
  const system = useGateway();

  const keyOf = ({ account }: Owner) => ({ account, keyHash: account, robots: '*' as const });
  /** Uses a new instance, since one caches its result for a second. */
  const choose = (owner: Owner) => new ChosenRobot(new RobotListReader(system.store)).only(keyOf(owner));

  async function problem(choosing: Promise<string>): Promise<string> {
    const error: unknown = await choosing.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ApiError && error.code === 'bad_argument' && error.field === 'robot', String(error));
    return error.message;
  }

  it("selects the key's only robot, or its only robot that is online", async () => {
    const owner = await system.owner();
    assert.equal(await choose(owner), owner.robot);
    const second = await system.store.robots.create({ account: owner.account });
    await problem(choose(owner));
    await system.link.take(second.robot, second.token);
    assert.equal(await choose(owner), second.robot);
    await system.link.release(second.robot, 'moving');
    assert.equal(await choose(owner), second.robot, 'a robot that moves between instances counts as online');
  });

  it('rejects a call when several robots are online, listing each with its name and status', async () => {
    const owner = await system.ownerOnline();
    const [second, third] = [
      await system.store.robots.create({ account: owner.account }),
      await system.store.robots.create({ account: owner.account }),
    ];
    await system.link.take(second.robot, second.token);
    const message = await problem(choose(owner));
    assert.match(message, /this key has 3 robots, 2 of them online; name one by its id or name: /);
    assert.match(message, new RegExp(`${owner.robot} \\("Desk", .*online\\)`));
    assert.match(message, new RegExp(`${second.robot} \\([^"]*online\\)`));
    assert.match(message, new RegExp(`${third.robot} \\(offline\\)$`));
  });

  it('selects another robot within about a second after it became the only one online', async () => {
    const owner = await system.ownerOnline();
    const second = await system.store.robots.create({ account: owner.account });
    const caching = new ChosenRobot(new RobotListReader(system.store));
    assert.equal(await caching.only(keyOf(owner)), owner.robot);
    await system.link.release(owner.robot, 'away');
    await system.link.take(second.robot, second.token);
    await until(async () => (await caching.only(keyOf(owner))) === second.robot);
  });

  it('rejects a call when the key has no robot', async () => {
    const owner = await system.owner();
    await system.store.robots.remove(owner.account, owner.robot);
    assert.match(await problem(choose(owner)), /this key has no robot yet/);
  });

  it('reaches a robot by its name in any case, and no robot of another account', async () => {
    const owner = await system.owner();
    const shelf = await system.store.robots.create({ account: owner.account, name: 'Shelf' });
    const stranger = await system.owner();
    const named = (caller: Owner, name: string) => new ChosenRobot(new RobotListReader(system.store)).named(keyOf(caller), name);
    assert.equal(await named(owner, 'sHELF'), shelf.robot);
    for (const [caller, name] of [
      [stranger, 'Shelf'],
      [owner, 'Shel'],
      [owner, ''],
      [owner, 'x'.repeat(5000)],
    ] as const)
      await assert.rejects(named(caller, name), (error: unknown) => error instanceof ApiError && error.code === 'unknown_robot');
  });

  it('rejects a name that several robots have, listing their ids', async () => {
    const owner = await system.owner();
    const twins = await Promise.all([1, 2].map(() => system.store.robots.create({ account: owner.account, name: 'Twin' })));
    const message = await problem(new ChosenRobot(new RobotListReader(system.store)).named(keyOf(owner), 'Twin'));
    for (const { robot } of twins) assert.ok(message.includes(robot), message);
  });
});
