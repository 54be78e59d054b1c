import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { StoreError, type Store } from '../src/index.js';
import { closeStores, testStore } from './fixtures.js';

/** Longer than an instance may be without a heartbeat before others see it as dead. */
const goneMs = 6500;

describe('an instance whose heartbeat lapsed', () => {
  let store: Store;
  let lapses: number;
  let beats: number;
  /** Called as a heartbeat is sent. */
  let onBeat: () => void;

  beforeEach(async () => {
    store = await testStore();
    lapses = 0;
    beats = 0;
    onBeat = () => {};
    await store.instances.announce();
    store.instances.onLapse(() => lapses++);
    const { connections } = store;
    const script = connections.script.bind(connections);
    const counted: typeof script = async (name, ...given) => {
      if (name === 'instanceBeat') {
        beats++;
        onBeat();
      }
      return script(name, ...given);
    };
    connections.script = counted;
    store.instances.start();
  });
  afterEach(closeStores);

  it('notices it once after a pause of the process', async () => {
    onBeat = () => {
      // As SIGSTOP does: no timer runs and no reply is read.
      if (beats === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, goneMs);
    };
    await until(() => beats >= 5, { what: 'heartbeats after the pause' });
    assert.equal(lapses, 1);
  });

  it('notices it once, however many heartbeats fail before one is confirmed', async () => {
    const failsUntil = performance.now() + goneMs + 2000;
    let confirmed = 0;
    onBeat = () => {
      if (performance.now() < failsUntil) throw new StoreError('unavailable', 'Redis: Command timed out');
      confirmed++;
    };
    await until(() => confirmed >= 2, { what: 'confirmed heartbeats' });
    assert.equal(lapses, 1);
  });
});
