import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emotions,
  faceShapes,
  livePlace,
  livePose,
  newFaceLife,
  poseShapes,
  stillPose,
  talkMs,
  timings,
  withChange,
  withSpan,
  type FaceLife,
  type FacePose,
  type Mood,
  type Reaction,
} from '../../src/own-screen/index.js';

/** Midnight of a day in 2026, ms: times are as large as on the page. */
const start = 1_790_000_000_000;
const frameMs = 1000 / 30;
/** Ten times as often as the screen shows a frame: a fast movement takes ten small steps, a jump is one large one. */
const stepMs = frameMs / 10;
/** How far any point of the face may move within a step, px; in 4,000 random lives none moved further than 1.8. */
const stepMax = 3;
/** How far the whole face may move, which shrinks quickly above a bubble, px; none moved further than 2.5. */
const placeStepMax = 4;

const neutral = newFaceLife(7, 'neutral');
const isClosed = ({ left, right }: FacePose): boolean => left.open <= 0.05 && right.open <= 0.05;

function frames(ms: number, from = start, every = frameMs): number[] {
  return Array.from({ length: Math.ceil(ms / every) }, (_, index) => from + index * every);
}

function blinkTimes(life: FaceLife, ms: number): number[] {
  const closed = Array.from({ length: ms / 10 }, (_, index) => isClosed(livePose(life, start + index * 10)));
  return closed.flatMap((is, index) => (is && index > 0 && !closed[index - 1]! ? [index * 10] : []));
}

/** Returns the numbers of a pose that are distances on the screen. */
function distances(pose: FacePose): number[] {
  const { left, right, leftBrow, rightBrow, mouth, ring, lids, zzz, x, y, gaze } = pose;
  const eyes = [left, right].flatMap(({ x, y, w, h, open, bend }) => [x, y, w, h * Math.max(0, open), 0.5 * bend * Math.min(0, open)]);
  const brows = [leftBrow, rightBrow].flatMap(({ opacity, ...points }) => (opacity > 0 ? Object.values(points) : Array<number>(6).fill(Number.NaN)));
  return [...eyes, ...brows, ...Object.values(mouth), ring.rx * ring.share, ring.ry * ring.share, 46 * lids, zzz.y, x, y, gaze.x, gaze.y];
}

/** Returns where an eye and the mouth are on the screen, px. */
function places(life: FaceLife, ms: number): number[] {
  const { x, y, scale } = livePlace(life, ms);
  return [x + 98 * scale, y + 112 * scale, y + 176 * scale];
}

/** Drops what differs by rounding alone. */
function rounded(pose: FacePose): number[] {
  return distances(pose).map((value) => Math.round(value * 1e6) / 1e6 || 0);
}

const mood = fc.constantFrom<Mood>(...emotions, 'asleep');
const eventful = fc
  .record({
    seed: fc.integer(),
    first: mood,
    moods: fc.array(fc.record({ value: mood, after: fc.integer({ min: 0, max: 1200 }) }), { maxLength: 6 }),
    looks: fc.array(fc.record({ x: fc.double({ min: -1, max: 1, noNaN: true }), y: fc.double({ min: -1, max: 1, noNaN: true }) }), { maxLength: 20 }),
    bubbles: fc.array(fc.record({ after: fc.integer({ min: 100, max: 900 }), top: fc.integer({ min: 67, max: 174 }) }), { maxLength: 4 }),
    reactions: fc.array(
      fc.record({
        kind: fc.constantFrom<Reaction['kind']>('petted', 'shaken', 'lifted'),
        after: fc.integer({ min: 0, max: 4000 }),
        lasts: fc.integer({ min: 0, max: 2000 }),
      }),
      { maxLength: 3 },
    ),
    levels: fc.option(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 })),
  })
  .map(({ seed, first, moods, looks, bubbles, reactions, levels }): FaceLife => {
    let life = newFaceLife(seed, first);
    let at = start;
    for (const { value, after } of moods) life = { ...life, moods: [...life.moods, { value, at: (at += after) }] };
    at = start;
    for (const value of looks) life = { ...life, looks: [...life.looks, { value, at: (at += timings.pointer.every) }] };
    at = start;
    for (const [index, { after, top }] of bubbles.entries())
      life = { ...life, bubble: [...life.bubble, { value: index % 3 === 2 ? null : top, at: (at += after) }] };
    return {
      ...life,
      reactions: reactions.map(({ kind, after, lasts }) => ({ kind, at: start + after, until: start + after + lasts })),
      talks: [{ at: start + 500, until: start + 3500, levels }],
    };
  });

describe('the living face', () => {
  it('the living face is the same for the same time and life, and differs between seeds', () => {
    assert.deepEqual(livePose(neutral, start + 1234), livePose(newFaceLife(7, 'neutral'), start + 1234));
    assert.notDeepEqual(blinkTimes(neutral, 30_000), blinkTimes(newFaceLife(8, 'neutral'), 30_000));
  });

  it('blinks at irregular intervals within bounds, sometimes twice in a row', () => {
    const { slot, delayMax, close, closed, open, doubledAfter } = timings.blink;
    const times = blinkTimes(neutral, 600_000);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    const [doubled, single] = [gaps.filter((gap) => gap < 1000), gaps.filter((gap) => gap >= 1000)];
    assert.ok(doubled.length > 5 && doubled.every((gap) => Math.abs(gap - doubledAfter) <= 20), String(doubled));
    assert.ok(
      single.every((gap) => gap > slot - delayMax - doubledAfter - 20 && gap < slot + delayMax + 20),
      String(single),
    );
    assert.ok(new Set(single.map((gap) => Math.round(gap / 100))).size > 20, 'no rhythm');
    assert.ok(close + closed + open < 400, 'a blink, not a nap');
  });

  it('breathes and looks about while nothing happens', () => {
    const poses = frames(60_000).map((ms) => livePose(neutral, ms));
    const heights = poses.map(({ y }) => y);
    assert.ok(Math.min(...heights) < -1 && Math.max(...heights) > 1);
    const across = poses.map(({ gaze }) => gaze.x);
    assert.ok(Math.min(...across) < -3 && Math.max(...across) > 3 && across.filter((x) => x === 0).length > 300, 'and straight ahead');
    assert.ok(poses.every(({ gaze }) => Math.abs(gaze.x) <= timings.gaze.x && Math.abs(gaze.y) <= timings.gaze.y));
  });

  it('never jumps: whatever happens, no point moves further than its limit within a tenth of a frame', () => {
    fc.assert(
      fc.property(eventful, (life) => {
        let before: number[] | null = null;
        for (const ms of frames(9000, start - 500, stepMs)) {
          const points = distances(livePose(life, ms));
          const now = [...points, ...places(life, ms)];
          for (const [index, value] of now.entries()) {
            const step = Math.abs(value - (before?.[index] ?? value));
            const max = index < points.length ? stepMax : placeStepMax;
            assert.ok(Number.isNaN(step) || step <= max, `number ${index} moves by ${step} px at ${ms - start} ms`);
          }
          before = now;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('reaches each emotion from each other one, and then has its shapes', () => {
    for (const from of emotions) {
      for (const to of emotions) {
        const life = { ...newFaceLife(1, from), moods: withChange(newFaceLife(1, from).moods, { value: to as Mood, at: start }, timings.emotion) };
        const { leftBrow, mouth, cheeks, tear } = livePose(life, start + timings.emotion + 1);
        const rest = stillPose(life);
        assert.deepEqual({ leftBrow, mouth, cheeks, tear }, { leftBrow: rest.leftBrow, mouth: rest.mouth, cheeks: rest.cheeks, tear: rest.tear });
      }
    }
  });

  it('keeps its eyes closed while it is petted, in any emotion, and opens them afterwards', () => {
    for (const emotion of emotions) {
      const petted = { ...newFaceLife(3, emotion), reactions: withSpan<Reaction>([], { kind: 'petted', at: start, until: start + 20_000 }) };
      for (const ms of frames(19_000, start + timings.petted.attack)) assert.ok(isClosed(livePose(petted, ms)), `${emotion} at ${ms - start} ms`);
    }
    const petted = { ...neutral, reactions: [{ kind: 'petted', at: start, until: start + 2000 } as const] };
    const after = frames(1000, start + 2000 + timings.petted.hold + timings.petted.release);
    assert.ok(after.some((ms) => !isClosed(livePose(petted, ms))));
  });

  it('the living face is dizzy after being shaken and surprised when lifted, each for a while', () => {
    const felt = (kind: Reaction['kind']) => ({ ...neutral, reactions: [{ kind, at: start, until: start }] });
    const dizzy = frames(2000, start + 300).map((ms) => livePose(felt('shaken'), ms));
    assert.ok(dizzy.every(({ spiral }) => spiral.opacity > 0.95) && new Set(dizzy.map(({ spiral }) => spiral.turn)).size === dizzy.length);
    const lifted = livePose(felt('lifted'), start + 400);
    assert.ok(lifted.ring.share > 0.95 && lifted.leftBrow.opacity > 0.95 && lifted.leftBrow.cy < 50);
    for (const kind of ['shaken', 'lifted'] as const) assert.deepEqual(livePose(felt(kind), start + 5000), livePose(neutral, start + 5000));
  });

  it('reactions that begin at the same moment show as fast as one alone', () => {
    const felt = (...kinds: Reaction['kind'][]): FaceLife => ({
      ...newFaceLife(7, 'angry'),
      reactions: kinds.map((kind) => ({ kind, at: start, until: start })),
    });
    for (const ms of frames(2500)) {
      assert.deepEqual(rounded(livePose(felt('lifted', 'lifted', 'lifted'), ms)), rounded(livePose(felt('lifted'), ms)));
      const { leftBrow } = livePose(felt('petted', 'lifted'), ms);
      assert.ok(leftBrow.cy >= livePose(felt('lifted'), ms).leftBrow.cy - 0.01, `the brow rises no faster than of one at ${ms - start} ms`);
    }
  });

  it('looks where it is told, and about again once it is not', () => {
    const followed = { ...neutral, looks: withChange(neutral.looks, { value: { x: 1, y: -1 }, at: start }, timings.pointer.move) };
    for (const ms of frames(5000, start + timings.pointer.move))
      assert.deepEqual(livePose(followed, ms).gaze, { x: timings.pointer.x, y: -timings.pointer.y });
    const left = { ...followed, looks: withChange(followed.looks, { value: null, at: start + 6000 }, timings.pointer.move) };
    assert.deepEqual(livePose(left, start + 9000).gaze, livePose(neutral, start + 9000).gaze);
  });

  it('opens its mouth as far as a sound is loud, keeps it closed in a pause, and speaks syllables for a text', () => {
    const gap = (levels: readonly number[] | null, ms: number): number => {
      const { mouth } = livePose({ ...neutral, talks: [{ at: start, until: start + 4000, levels }] }, start + ms);
      return mouth.ly - mouth.my;
    };
    const loud = Array<number>(40).fill(1);
    assert.ok(
      gap(loud, 1000) > 20 &&
        gap(
          loud.map(() => 0.5),
          1000,
        ) > 8,
    );
    assert.equal(
      gap(
        loud.map(() => 0),
        1000,
      ),
      0,
    );
    assert.equal(gap(loud, 4500), 0, 'the sound has ended');
    const syllables = frames(3000, 500).map((ms) => gap(null, ms));
    assert.ok(Math.max(...syllables) > 12 && Math.min(...syllables) < 4);
    assert.ok(talkMs('Good morning!') > 600 && talkMs('x'.repeat(500)) === timings.talk.max);
  });

  it('sleeps with closed eyes, breathes more slowly and looks nowhere', () => {
    const asleep = newFaceLife(7, 'asleep');
    const poses = frames(30_000).map((ms) => livePose(asleep, ms));
    assert.ok(poses.every((pose) => isClosed(pose) && pose.gaze.x === 0 && pose.gaze.y === 0));
    assert.ok(Math.max(...poses.map(({ y }) => y)) > 2);
  });

  it('stands still, as in a still picture, for viewers who prefer reduced motion', () => {
    for (const emotion of emotions) assert.deepEqual(poseShapes(stillPose(newFaceLife(1, emotion))), faceShapes(emotion));
  });

  it('keeps few changes, and forgets none that still shows', () => {
    let life = neutral;
    for (let index = 0; index < 50; index++) {
      const at = start + index * 100;
      const whole = { ...life, moods: [...life.moods, { value: emotions[index % 6]!, at }] };
      life = { ...whole, moods: withChange(life.moods, { value: emotions[index % 6]!, at }, timings.emotion) };
      assert.ok(life.moods.length <= 7, String(life.moods.length));
      assert.deepEqual(livePose(life, at + 50), livePose(whole, at + 50));
    }
  });
});
