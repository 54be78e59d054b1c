import assert from 'node:assert/strict';
import { livePose, timings } from '@perch/screen/own-screen';
import { RobotLife } from '../../src/drawing/live/robot-life.js';
import { unknownLooks, type RobotLooks } from '../../src/drawing/looks.js';

const start = 100_000;
const awake: RobotLooks = { ...unknownLooks, online: true, emotion: 'happy' };
/** Some time later, all that changed at `start` shows. */
const later = start + 1000;

describe('the life of a drawn robot', () => {
  it('sleeps while its robot is offline, and eases to its emotion once it is online', () => {
    const life = new RobotLife('pip', unknownLooks);
    assert.ok(zzzOf(life, start) > 0);
    life.update(awake, [], start);
    assert.ok(zzzOf(life, start + timings.emotion / 4) > 0, 'it does not jump');
    assert.equal(zzzOf(life, later), 0);
    const happy = new RobotLife('pip', awake);
    assert.deepEqual(livePose(life.now, later).mouth, livePose(happy.now, later).mouth);
    life.update({ ...awake, online: false }, [], later);
    assert.ok(zzzOf(life, later + timings.emotion) > 0);
  });

  it('opens its mouth as a sound is loud, and closes it when the sound ends', () => {
    const neutral = { ...awake, emotion: 'neutral' };
    const life = new RobotLife('pip', neutral);
    const closed = gapOf(life, start);
    life.update({ ...neutral, sound: true, soundLevels: Array<number>(50).fill(1) }, [], start);
    assert.ok(gapOf(life, later) > closed + 5);
    life.update(neutral, [], later);
    assert.equal(gapOf(life, later + 1000), closed);
  });

  it('speaks a bubble for as long as its text takes, and nothing while it is offline', () => {
    const life = new RobotLife('pip', awake);
    life.update({ ...awake, bubble: 'Good morning!' }, [], start);
    assert.deepEqual(
      life.now.talks.map(({ at, until }) => [at, until]),
      [[start, start + 13 * timings.talk.letter]],
    );
    const offline = new RobotLife('pip', unknownLooks);
    offline.update({ ...unknownLooks, bubble: 'Good morning!', sound: true }, [], start);
    assert.deepEqual(offline.now.talks, []);
  });

  it('is dizzy when it is shaken and looks surprised when it is lifted', () => {
    const life = new RobotLife('pip', awake);
    life.update(awake, [{ kind: 'shaken', at: start, until: start }], start);
    assert.ok(livePose(life.now, later).spiral.opacity > 0.9);
    life.update(awake, [{ kind: 'lifted', at: start, until: start }], start);
    assert.ok(livePose(life.now, start + 500).ring.share > 0.9);
  });

  it('follows the pointer, and looks about again once there is none', () => {
    const [life, alone] = [new RobotLife('pip', awake), new RobotLife('pip', awake)];
    life.look({ x: -1, y: 1 }, start);
    assert.deepEqual(livePose(life.now, later).gaze, { x: -timings.pointer.x, y: timings.pointer.y });
    life.look(null, later);
    assert.deepEqual(livePose(life.now, later + 1000).gaze, livePose(alone.now, later + 1000).gaze);
  });
});

function zzzOf(life: RobotLife, ms: number): number {
  return livePose(life.now, ms).zzz.opacity;
}

function gapOf(life: RobotLife, ms: number): number {
  const { mouth } = livePose(life.now, ms);
  return mouth.ly - mouth.my;
}
