import assert from 'node:assert/strict';
import { Bench } from './bench.js';

describe('the name of a robot', () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench.stop());

  async function names(apiKey: string, robot: string): Promise<unknown[]> {
    const list = await bench.ask('GET', '/v1/robots', { apiKey });
    const read = await bench.ask('GET', `/v1/robots/${robot}`, { apiKey });
    const posted = await bench.act({ apiKey, robot }, 'state');
    return [list.body.robots[0].name, read.body.name, posted.body.name];
  }

  it('is in the list and in the state of an online robot at once after its owner changed it', async () => {
    const { account, apiKey, robot } = await bench.ownerOnline();
    assert.deepEqual(await names(apiKey, robot), ['Desk', 'Desk', 'Desk']);
    await bench.store.robots.rename(account, robot, 'Kitchen');
    assert.deepEqual(await names(apiKey, robot), ['Kitchen', 'Kitchen', 'Kitchen']);
  });

  it('is the id of a robot that was given no name', async () => {
    const { account, apiKey, robot } = await bench.owner();
    await bench.store.robots.rename(account, robot, '');
    assert.deepEqual(await names(apiKey, robot), [robot, robot, robot]);
  });
});
