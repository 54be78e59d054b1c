import assert from 'node:assert/strict';
import { descriptionOf } from '../../src/drawing/description.js';
import { unknownLooks, type RobotLooks } from '../../src/drawing/looks.js';
import { axesOf, cap, sides, Viewer, type Block } from '../../src/drawing/solid.js';

const block = (yaw: number, pitch: number): Block => ({ center: [0, 0, 0], axes: axesOf(yaw, pitch), half: [40, 30, 20], radius: 5 });
const awake: RobotLooks = { ...unknownLooks, online: true, emotion: 'happy', head: { yaw: 20, pitch: 10 } };

describe('a solid', () => {
  const front = new Viewer(0, 0);

  it('turns to its own left, the viewer’s right, for a positive yaw, and up for a positive pitch', () => {
    const [x] = front.see(axesOf(30, 0).ahead);
    const [, y] = front.see(axesOf(0, 30).ahead);
    assert.ok(x > 0.4 && y < -0.4, `${x} ${y}`);
  });

  it('shows the front of a block, or its back once it is turned away', () => {
    assert.equal(cap(front, block(80, 0)).isFront, true);
    assert.equal(cap(front, block(100, 0)).isFront, false);
    assert.equal(cap(new Viewer(100, 0), block(100, 0)).isFront, true, 'for who went where it looks');
  });

  it('shows no side of a block seen from the front, and otherwise the sides that face the viewer', () => {
    assert.equal(sides(front, block(0, 0)).length, 0);
    assert.ok(sides(new Viewer(0, 30), block(0, 0)).length > 0);
  });
});

describe('description of a robot', () => {
  it('describes the screen, the head position and the LEDs', () => {
    assert.equal(descriptionOf(awake), 'Its screen shows a happy face. Its head is turned 20° to its left and 10° up. Its LEDs are off.');
    assert.match(descriptionOf({ ...awake, bubble: 'Hi' }), /saying: “Hi”/);
    assert.match(descriptionOf({ ...awake, picture: 'blob:x', bubble: 'Hi' }), /^Its screen shows a picture\./);
    const says = 'Deploy? Answers: Allow, Deny.';
    assert.match(
      descriptionOf({ ...awake, picture: 'blob:x', says }),
      /^Its screen shows a picture, which says: “Deploy\? Answers: Allow, Deny\.” Its head/,
    );
    assert.match(descriptionOf({ ...awake, view: 'readings' }), /shows its readings/);
    assert.match(descriptionOf({ ...awake, head: { yaw: -5, pitch: 85 }, sound: true }), /5° to its right and 85° up.*It plays a sound\.$/);
    assert.match(descriptionOf({ ...awake, emotion: 'of a later version' }), /a calm face/);
  });

  it('describes an offline robot only as not connected', () => {
    assert.equal(descriptionOf(unknownLooks), 'The robot is not connected.');
  });
});
