import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, type LocalRedis } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { redisScripts, type ScriptName } from '../src/redis/scripts.js';
import { checkScriptOutputs } from './checked-scripts.js';
import { steps } from './golden/scenario.js';

describe('what Lua scripts return', function () {
  let redis: LocalRedis;
  let store: Store;
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    store = await openStore({ url: redis.url, instance: 'gw-golden' });
  });
  after(async () => {
    await store?.close();
    await redis?.stop();
  });

  it('every script returns what its header declares, for data of every format or for keys that do not exist', async () => {
    const ran = checkScriptOutputs(store.connections);
    const facts = {};
    for (const step of steps) await step.write(store, facts);
    for (const step of steps) await step.read(store, facts);
    // A script that cannot run so belongs into a step of the scenario.
    for (const name of namesOf(redisScripts).filter((other) => !ran.has(other))) {
      const keys = Array.from({ length: redisScripts[name].keys.least }, (_, i) => `perch:{${name}}:${i}`);
      await store.connections.script(
        name,
        keys as never,
        Array.from({ length: 20 }, () => 1),
      );
    }
    assert.deepEqual([...ran].toSorted(), namesOf(redisScripts).toSorted());
  });

  it('a script that returns something else fails its caller', async () => {
    const { connections } = store;
    const { script } = connections;
    connections.script = async (name, keys, args) => (name === 'renderWanted' ? (2 as never) : script(name, keys, args));
    checkScriptOutputs(connections);
    try {
      await assert.rejects(connections.script('renderWanted', ['perch:{other}'], []), /renderWanted returned what its header does not declare: 2/);
    } finally {
      connections.script = script;
    }
  });
});

function namesOf(scripts: typeof redisScripts): ScriptName[] {
  return Object.keys(scripts) as ScriptName[];
}
