import assert from 'node:assert/strict';
import { useGateway } from './gateway-under-test.js';

describe('the name of a robot', () => {
  const system = useGateway();

  async function names(apiKey: string, robot: string): Promise<unknown[]> {
    const list = await system.ask('GET', '/v1/robots', { apiKey });
    const read = await system.ask('GET', `/v1/robots/${robot}`, { apiKey });
    const posted = await system.act({ apiKey, robot }, 'state');
    return [list.body.robots[0].name, read.body.name, posted.body.name];
  }

  it('changes in the list and in the state of an online robot as soon as its owner renames it', async () => {
    const { account, apiKey, robot } = await system.ownerOnline();
    assert.deepEqual(await names(apiKey, robot), ['Desk', 'Desk', 'Desk']);
    await system.store.robots.rename(account, robot, 'Kitchen');
    assert.deepEqual(await names(apiKey, robot), ['Kitchen', 'Kitchen', 'Kitchen']);
  });

  it('defaults to the id of the robot', async () => {
    const { account, apiKey, robot } = await system.owner();
    await system.store.robots.rename(account, robot, '');
    assert.deepEqual(await names(apiKey, robot), [robot, robot, robot]);
  });
});
