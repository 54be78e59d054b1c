/** Flow control of sounds to robots that buffer three seconds: samples arrive in time and never overflow the buffer. */
import assert from 'node:assert/strict';
import type { VirtualRobot } from '@perch/virtual-robot';
import { fastClock } from '../fixture/robots/fast-clock.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const long = process.env['PERCH_TEST_LONG'] === '1';
const buffer = { buffer_bytes: 98_304, rates: [16_000] };
const bytesPerS = 32_000;

onSharedSystems(
  'sound',
  (system) => {
    /** @param factor speed of the robot's clock, in multiples of real time */
    async function setUp({ factor = 1, link = 0 } = {}) {
      const tenant = await system().tenant();
      const { id, robot } = await tenant.robot(
        { audio: buffer, sensors: false, ...(factor === 1 ? {} : { clock: fastClock(factor), silenceMs: 1e9 }) },
        link,
      );
      return { id, robot, api: tenant.api(link) };
    }
    /** Different notes for 30 s, the longest allowed sound. */
    const half = (seed: number): string =>
      Array.from({ length: 60 }, (_, i) => `${'CDEFGAB'[(i + seed) % 7]}${3 + ((i * 5 + seed) % 3)}:500`).join(' ');
    /** @param timeoutMs by the robot's clock */
    const ended = (robot: VirtualRobot, timeoutMs: number, at = 0): Promise<void> =>
      robot.until(({ sounds }) => sounds.length > at && sounds[at]!.done !== null, { timeoutMs, what: `sound ${at} to end` });

    it('30 s play without a gap on a buffer of 96 KB that never overflows, and the answer arrives at the start and says 30', async () => {
      const { id, robot, api } = await setUp({ factor: long ? 1 : 8 });
      const { status, body } = await api.act(id, 'sound', { notes: half(0) });
      assert.deepEqual([status, body.seconds, body.replaced ?? false], [200, 30, false]);
      const [sound] = robot.sounds;
      assert.deepEqual([sound!.started, sound!.done], [true, null], 'it has just begun');
      assert.ok(sound!.received <= buffer.buffer_bytes + bytesPerS * (sound!.playedMs / 1000));
      await ended(robot, 120_000);
      assert.deepEqual([sound!.done, sound!.gaps, sound!.received], ['end', 0, 30 * bytesPerS]);
      assert.deepEqual(robot.violations, []);
    });

    it('eight robots on two robot-links play 30 s each at the same time, and every other action succeeds meanwhile', async () => {
      const players = await Promise.all(Array.from({ length: 8 }, (_, i) => setUp({ factor: 4, link: i })));
      await Promise.all(players.map(async ({ id, api }, i) => assert.equal((await api.act(id, 'sound', { notes: half(i) })).status, 200)));
      for (const { id, robot, api } of players) {
        assert.equal((await api.act(id, 'show', { text: 'La la la' })).status, 200);
        assert.equal((await api.act(id, 'move', { gesture: 'nod' })).status, 200);
        assert.ok(robot.playing !== null, 'it still plays');
      }
      await Promise.all(players.map(({ robot }) => ended(robot, 120_000)));
      for (const { robot } of players) {
        assert.deepEqual([robot.sounds[0]!.done, robot.sounds[0]!.gaps], ['end', 0]);
        assert.deepEqual(robot.violations, []);
      }
      const heard = new Set(players.map(({ robot }) => Buffer.from(robot.sounds[0]!.pcm).toString('base64')));
      assert.equal(heard.size, 8, 'each its own');
    });

    it('volume is set before the first sample', async () => {
      const { id, robot, api } = await setUp();
      const volumes: number[] = [];
      robot.on('sound', () => volumes.push(robot.volume));
      for (const volume of [13, 77, 0]) {
        const { body } = await api.act(id, 'sound', { notes: 'C4:40', volume });
        assert.equal(body.seconds, 0.04);
        await ended(robot, 5000, volumes.length - 1);
      }
      assert.deepEqual(volumes, [13, 77, 0]);
      assert.equal((await api.act(id, 'sound', { volume: 50 })).status, 200);
      assert.deepEqual([robot.volume, robot.sounds.length], [50, 3], 'alone it plays nothing');
    });

    it('a sound that is replaced before the robot confirms it answers ok and replaced; one that has started was answered before and ends', async () => {
      const { id, robot, api } = await setUp();
      assert.equal((await api.act(id, 'sound', { notes: 'C4:20000' })).status, 200);
      const [first] = robot.sounds;
      robot.faults.ackLate(4000);
      const early = api.act(id, 'sound', { notes: 'D4:20000' });
      await robot.until(({ commands }) => commands.at(-1)?.ack?.ok === true && robot.sounds.length === 2);
      robot.faults.none();
      const last = await api.act(id, 'sound', { chime: 'yes' });
      assert.deepEqual([last.status, last.body.replaced ?? false], [200, false]);
      const { status, body } = await early;
      assert.deepEqual([status, body.ok, body.replaced], [200, true, true]);
      await ended(robot, 10_000, 2);
      assert.deepEqual([first!.done, robot.sounds[1]!.done, robot.sounds[2]!.done], ['stopped', 'stopped', 'end']);
      assert.equal(robot.sounds[2]!.gaps, 0);
      assert.deepEqual(robot.violations, []);
    });

    it('twenty sounds in a burst end with the last one, which plays whole', async () => {
      const { id, robot, api } = await setUp();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => api.act(id, 'sound', { notes: `C4:${3000 + i}` })));
      for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await api.act(id, 'sound', { notes: 'A4:300' })).body.replaced ?? false, false);
      await robot.until(({ playing }) => playing === null);
      const last = robot.sounds.at(-1)!;
      assert.deepEqual([last.done, last.gaps, last.received], ['end', 0, 0.3 * bytesPerS]);
      assert.deepEqual(robot.violations, []);
    });

    it('a robot that returns no credit gets no byte beyond its buffer, and plays again once it does', async () => {
      const { id, robot, api } = await setUp({ factor: 8 });
      robot.faults.settings.noFlow = true;
      assert.equal((await api.act(id, 'sound', { notes: 'C4:20000' })).status, 200);
      await ended(robot, 60_000);
      assert.equal(robot.sounds[0]!.done, 'underrun');
      assert.ok(robot.sounds[0]!.received <= buffer.buffer_bytes);
      robot.faults.none();
      assert.equal((await api.act(id, 'sound', { notes: 'C4:8000' })).status, 200);
      await ended(robot, 60_000, 1);
      assert.deepEqual([robot.sounds[1]!.done, robot.sounds[1]!.gaps], ['end', 0]);
      assert.deepEqual(robot.violations, []);
    });
  },
  [shapes[1]!],
);
