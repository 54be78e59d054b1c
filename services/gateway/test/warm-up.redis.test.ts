import assert from 'node:assert/strict';
import { openStore } from '@perch/store';
import { needsRealRedis, redisAt, redisUrl } from '@perch/testkit';
import { Admission } from '../src/auth/admission.js';
import { RobotDirectory, RobotNames } from '../src/robots/robot-directory.js';
import { RobotListReader } from '../src/robots/robot-list-reader.js';
import { warmUp } from '../src/server/app.js';

describe('warming up a gateway', () => {
  it('loads the scripts of every action into Redis', async function () {
    needsRealRedis(this, await redisUrl(), 'INFO number_of_cached_scripts');
    const store = await openStore({ ...redisAt(await redisUrl()), instance: 'gw-warm' });
    try {
      const { commands } = store.connections;
      await commands.script('FLUSH');
      await warmUp(new Admission(store, new RobotDirectory(store), new RobotNames(new RobotListReader(store))));
      const scripts = /number_of_cached_scripts:(\d+)/.exec(await commands.info('memory'))?.[1];
      assert.equal(scripts, '1');
    } finally {
      await store.close();
    }
  });

  it('does not keep a gateway from starting while Redis does not reply', async () => {
    const store = await openStore({ ...redisAt(await redisUrl()), instance: 'gw-cold' });
    await store.close();
    await warmUp(new Admission(store, new RobotDirectory(store), new RobotNames(new RobotListReader(store))));
  });
});
