import assert from 'node:assert/strict';
import type { Sound, VirtualRobot } from '@perch/virtual-robot';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';
import { loudestSemitone, loudness, samples } from '../fixture/media/tone.js';

const chimes = ['ask', 'break_over', 'chirp', 'done', 'error', 'hello', 'lullaby', 'morning', 'munch', 'no', 'start', 'tada', 'whee', 'yawn', 'yes'];

onSingleInstances('melodies', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const play = async (args: object) => {
      const { status, body } = await api.act(id, 'sound', args);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    return { id, robot, api, play };
  }

  it('notes sound at their pitch for their duration, rests are silent, and the answer has the total duration', async () => {
    const { robot, play } = await setUp();
    const answer = await play({ notes: 'A4:300 -:200 c5:300  Bb3:300 F#5:300' });
    assert.deepEqual(answer, { ok: true, seconds: 1.4, replaced: false });
    const sound = await whole(robot);
    assert.equal(sound.pcm.byteLength / 2 / sound.rate, 1.4);
    assert.deepEqual(
      [0, 500, 800, 1100].map((at) => loudestSemitone(sound, at + 30, at + 270)),
      [69, 72, 58, 78],
    );
    assert.ok(loudness(sound, 30, 270) > 0.05, 'it can be heard');
    assert.ok(loudness(sound, 310, 490) < 0.001, 'a rest');
    assert.deepEqual(robot.violations, []);
  });

  it('a tune in RTTTL sounds at its pitches for its durations', async () => {
    const { robot, play } = await setUp();
    assert.deepEqual(await play({ notes: 'Tune:d=8,o=4,b=100:a,p,c5,4a#.5' }), { ok: true, seconds: 1.8, replaced: false });
    const sound = await whole(robot);
    assert.deepEqual(
      [0, 600, 900].map((at) => loudestSemitone(sound, at + 30, at + 270)),
      [69, 72, 82],
    );
    assert.ok(loudness(sound, 310, 590) < 0.001, 'a rest');
    assert.deepEqual(robot.violations, []);
  });

  it('a robot with another sample rate plays the same pitch', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ audio: { rates: [24_000] } });
    const { body } = await (await checkedApi(tenant)).act(id, 'sound', { notes: 'A4:300' });
    assert.equal(body.seconds, 0.3);
    const sound = await whole(robot);
    assert.deepEqual([sound.rate, sound.bytes, loudestSemitone(sound, 30, 270)], [24_000, 0.3 * 24_000 * 2, 69]);
    assert.deepEqual(robot.violations, []);
  });

  it('notes do not click: the samples have no jump where a note begins, ends or meets the next', async () => {
    const { robot, play } = await setUp();
    await play({ notes: 'C6:100 G6:100 C6:100 -:50 C2:150' });
    const sound = await whole(robot);
    const wave = samples(sound.pcm);
    const steps = wave.map((value, i) => Math.abs(value - (wave[i - 1] ?? 0)));
    const steepest = Math.max(...steps);
    for (const ms of [0, 100, 200, 300, 350, 500]) {
      const at = Math.round((ms * sound.rate) / 1000);
      const near = Math.max(...steps.subarray(Math.max(0, at - 16), at + 16));
      assert.ok(near <= 0.5 * steepest, `${ms} ms: a step of ${near}, ${steepest} at most elsewhere`);
    }
  });

  it('bell keeps ringing after its notes and fades out', async () => {
    const { robot, play } = await setUp();
    const { seconds } = await play({ notes: 'A4:200', bell: true });
    assert.ok(seconds > 0.5, String(seconds));
    const sound = await whole(robot);
    assert.ok(loudness(sound, 0, 150) > 2 * loudness(sound, 400, 550));
    assert.equal((await play({ notes: 'A4:200', bell: false })).seconds, 0.2);
  });

  it('every chime plays for its stated duration, and no two are alike', async () => {
    const { robot, play } = await setUp();
    const heard = new Set<string>();
    for (const chime of chimes) {
      const { seconds } = await play({ chime });
      const { bytes, rate } = robot.sounds.at(-1)!;
      assert.ok(Math.abs(bytes / 2 / rate - seconds) < 0.001 && seconds > 0.05 && seconds < 10, `${chime}: ${seconds}`);
      const sound = robot.sounds.at(-1)!;
      await robot.until(() => sound.pcm.byteLength >= Math.min(sound.bytes, 3200) && sound.received >= Math.min(sound.bytes, 3200));
      assert.ok(loudness(sound, 0, 100) > 0.002, `${chime} can be heard`);
      heard.add(Buffer.from(sound.pcm.subarray(0, 3200)).toString('base64'));
    }
    assert.equal(heard.size, chimes.length);
    assert.deepEqual(robot.violations, []);
  });

  it('volume is applied first, persists, and can be set alone', async () => {
    const { robot, play } = await setUp();
    let volumeAtFirstSample = -1;
    robot.on('sound', () => (volumeAtFirstSample = robot.volume));
    await play({ chime: 'yes', volume: 33 });
    assert.equal(volumeAtFirstSample, 33);
    assert.deepEqual(await play({ volume: 0 }), { ok: true, seconds: 0, replaced: false });
    assert.equal(robot.volume, 0);
    await play({ notes: 'C4:50' });
    assert.equal(robot.volume, 0);
    await play({ volume: 62.5 });
    assert.equal(robot.volume, 62.5);
  });

  it('the answer arrives when the sound starts, and a second sound replaces the one that plays', async () => {
    const { robot, play } = await setUp();
    assert.equal((await play({ notes: 'C4:30000' })).seconds, 30);
    assert.notEqual(robot.playing, null, 'it plays for 30 s');
    const first = robot.playing!;
    assert.ok(first.started);
    assert.equal((await play({ notes: 'E4:100' })).replaced, false);
    assert.equal(first.done, 'stopped');
    assert.deepEqual(robot.violations, []);
  });
});

async function whole(robot: VirtualRobot): Promise<Sound> {
  const sound = robot.sounds.at(-1)!;
  // The program in MicroPython has the samples that it has played.
  await robot.until(() => sound.pcm.byteLength === sound.bytes && sound.received === sound.bytes);
  return sound;
}
