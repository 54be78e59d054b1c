import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { redisUrl, until } from '@perch/testkit';
import { StoreError, type Store } from '../src/index.js';
import { instanceKeys } from '../src/redis/keys.js';
import { closeStores, testStore } from './fixtures.js';

interface Beating {
  store: Store;
  lapses: number;
  confirmed: number;
  failed: number;
  /** While true, no heartbeat reaches Redis. */
  isCutOff: boolean;
}

async function beating(): Promise<Beating> {
  const store = await testStore();
  const beats: Beating = { store, lapses: 0, confirmed: 0, failed: 0, isCutOff: false };
  await store.instances.announce();
  store.instances.onLapse(() => beats.lapses++);
  const { connections } = store;
  const script = connections.script.bind(connections);
  const counted: typeof script = async (name, ...given) => {
    if (name !== 'instanceBeat') return script(name, ...given);
    if (beats.isCutOff) {
      beats.failed++;
      throw new StoreError('unavailable', 'Redis: Command timed out');
    }
    const reply = await script(name, ...given);
    if (reply === 1) beats.confirmed++;
    return reply;
  };
  connections.script = counted;
  store.instances.start();
  return beats;
}

async function seesGone(reader: Store, { store: { instance } }: Beating): Promise<boolean> {
  return (await reader.instances.health([instance])).get(instance) === 'gone';
}

async function untilConfirmed(beats: Beating, count: number): Promise<void> {
  const before = beats.confirmed;
  await until(() => beats.confirmed >= before + count, { what: `${count} heartbeats` });
}

describe('an instance whose heartbeat lapsed', () => {
  afterEach(closeStores);

  it('notices it once after a pause of the process, if a reader saw it as dead', async () => {
    const [seen, unseen] = [await beating(), await beating()];
    const program = fileURLToPath(new URL('programs/until-gone.ts', import.meta.url));
    // As SIGSTOP does: no timer runs and no reply is read until the reader has ended.
    const { status, stderr } = spawnSync(process.execPath, [...process.execArgv, program, seen.store.instance], {
      env: { ...process.env, PERCH_TEST_REDIS_URL: await redisUrl() },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    await untilConfirmed(seen, 1);
    assert.equal(await seesGone(unseen.store, seen), false, 'its heartbeat has replaced the mark of the reader');
    // Longer than it waits before it looks for gateways of 0.10.
    await untilConfirmed(unseen, 5);
    assert.deepEqual([seen.lapses, unseen.lapses], [1, 0]);
  });

  it('notices it once, however many heartbeats fail before one is confirmed, and beside a gateway of 0.10 also if no reader marked it', async () => {
    const [seen, unseen, reader] = [await beating(), await beating(), await testStore()];
    const announcement = instanceKeys.reads('gw-of-0.10');
    await reader.connections.script('instanceBeat', [announcement], ['{"release":"0.10.1","wire":[1,2]}', 60_000]);
    try {
      seen.isCutOff = unseen.isCutOff = true;
      await until(() => seesGone(reader, seen), { what: 'the reader to see it as dead' });
      const { failed } = seen;
      await until(() => seen.failed >= failed + 2 && unseen.failed >= failed + 2);
      seen.isCutOff = unseen.isCutOff = false;
      await until(() => seen.lapses > 0 && unseen.lapses > 0, { what: 'both lapses' });
      await untilConfirmed(unseen, 2);
      assert.deepEqual([seen.lapses, unseen.lapses], [1, 1]);
    } finally {
      await reader.connections.commands.del(announcement);
    }
  });

  it('is not dead to a reader whose read was overtaken by a heartbeat', async () => {
    const [beats, reader] = [await beating(), await testStore()];
    const { commands } = reader.connections;
    const get = commands.get.bind(commands);
    commands.get = (async (key: string) => (key === instanceKeys.beat(beats.store.instance) ? null : get(key))) as typeof get;
    assert.deepEqual([...(await reader.instances.health([beats.store.instance])).values()], ['alive']);
  });
});
