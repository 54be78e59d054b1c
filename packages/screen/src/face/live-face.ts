/** A robot's face by itself: a pure function of time and of what has happened. Not sent over the link; the reference for robots' programs. */
import { blinkShare } from './blink.js';
import { eased } from './ease.js';
import type { FaceLife, Mood, Reaction } from './face-life.js';
import { mixedPose, type EyePose, type FacePose, type MouthPose } from './face-pose.js';
import { facePlace, type FacePlace } from './face-shapes.js';
import { gazeAt } from './gaze.js';
import { reactionPoses, restPose } from './rest-poses.js';
import { talkAt } from './talk.js';
import { timings } from './timings.js';

export function livePose(life: FaceLife, ms: number): FacePose {
  const { seed, moods, looks, talks, reactions } = life;
  const awake = 1 - sleepOf(life, ms);
  let pose = moods.reduce((before, { value, at }) => mixedPose(before, moodPose(value, ms), moodShare(at, ms)), moodPose(moods[0]!.value, ms));
  pose = talking(pose, talkAt(seed, talks, ms));
  const gaze = gazeAt(seed, looks, ms);
  pose = { ...pose, y: pose.y + breathAt(ms, awake), gaze: { x: gaze.x * awake, y: gaze.y * awake } };
  pose = reacting(pose, reactions, ms);
  const blink = blinkShare(seed, ms);
  return { ...pose, left: closing(pose.left, blink), right: closing(pose.right, blink) };
}

/** Returns the face without any movement, for viewers who prefer reduced motion. */
export function stillPose({ moods }: FaceLife): FacePose {
  return moodPose(moods.at(-1)!.value, 0);
}

export function livePlace({ bubble }: FaceLife, ms: number): FacePlace {
  return bubble.reduce((before, { value, at }) => {
    const share = Number.isFinite(at) ? eased((ms - at) / timings.bubble) : 1;
    const place = facePlace(value);
    const between = (name: keyof FacePlace): number => before[name] + (place[name] - before[name]) * share;
    return { x: between('x'), y: between('y'), scale: between('scale') };
  }, facePlace(null));
}

function moodShare(at: number, ms: number): number {
  return Number.isFinite(at) ? eased((ms - at) / timings.emotion) : 1;
}

function sleepOf({ moods }: FaceLife, ms: number): number {
  return moods.reduce((before, { value, at }) => before + (Number(value === 'asleep') - before) * moodShare(at, ms), 0);
}

function moodPose(mood: Mood, ms: number): FacePose {
  if (mood !== 'asleep') return restPose(mood);
  const dream = (ms / timings.dream.period) * 2 * Math.PI;
  return { ...reactionPoses.asleep, zzz: { opacity: 0.45 + 0.3 * Math.sin(dream), y: (timings.dream.rise / 2) * (1 - Math.cos(dream)) } };
}

/** The phases of awake and asleep breathing are mixed, since a period that changed would jump. */
function breathAt(ms: number, awake: number): number {
  const { period, periodAsleep, rise, riseAsleep } = timings.breath;
  const wave = (length: number): number => Math.sin((2 * Math.PI * ms) / length);
  return awake * rise * wave(period) + (1 - awake) * riseAsleep * wave(periodAsleep);
}

/** Draws later reactions over earlier ones. Together they cover the pose by the share of the strongest, so that two at once come no faster than one. */
function reacting(pose: FacePose, reactions: readonly Reaction[], ms: number): FacePose {
  let [felt, covered, strongest] = [pose, 0, 0];
  for (const reaction of reactions) {
    const share = reactionShare(reaction, ms);
    if (share === 0) continue;
    covered = 1 - (1 - covered) * (1 - share);
    felt = mixedPose(felt, reactionPose(pose, reaction, ms), share / covered);
    strongest = Math.max(strongest, share);
  }
  return mixedPose(pose, felt, strongest);
}

function reactionShare({ kind, at, until }: Reaction, ms: number): number {
  const { attack, hold, release } = timings[kind];
  return eased((ms - at) / attack) * (1 - eased((ms - (until ?? Infinity) - hold) / release));
}

function reactionPose(pose: FacePose, { kind, at }: Reaction, ms: number): FacePose {
  const { x, y, gaze } = pose;
  if (kind === 'petted') return { ...reactionPoses.petted, x, y, gaze: { x: 0, y: 0 } };
  if (kind === 'lifted') return { ...reactionPoses.surprised, x, y, gaze };
  const turns = (ms - at) / timings.shaken.turn;
  const sway = 2 * Math.PI * 0.8 * turns;
  return {
    ...reactionPoses.dizzy,
    spiral: { opacity: 1, turn: 360 * turns },
    x: x + timings.shaken.sway * Math.sin(sway),
    y: y + 0.5 * timings.shaken.sway * Math.cos(sway),
    gaze: { x: 0, y: 0 },
  };
}

/** Closes an open eye as far as a blink does. One that is closed further stays as it is, so that a blink makes no other movement of the lids faster. */
function closing(eye: EyePose, share: number): EyePose {
  return eye.open <= 0 ? eye : { ...eye, open: Math.min(eye.open, 1 - share), w: eye.w + 4 * share * eye.open };
}

/** A closed mouth opens as far as the sound is loud; a wide open one closes where it is quiet. */
function talking(pose: FacePose, { opening, weight }: { opening: number; weight: number }): FacePose {
  if (weight === 0) return pose;
  const { opens } = timings.talk;
  const { mouth, ring } = pose;
  const open = Math.min(1, Math.max(0, (mouth.ly - mouth.my) / 40));
  // A round mouth has a collapsed line inside, which must not open.
  const lips = 1 - ring.share;
  const share = lips * opening * (1 - open);
  const down = opens * (share - lips * open * (weight - opening));
  const towards = (from: number, to: number): number => from + 0.8 * share * (to - from);
  // The upper lip of a smile flattens, so that the open mouth is round below.
  const corners = (mouth.y0 + mouth.y1) / 2;
  const upper = (y: number): number => towards(y, Math.min(y, corners + 2));
  const spoken: MouthPose = {
    ...mouth,
    x0: mouth.x0 + 6 * share,
    x1: mouth.x1 - 6 * share,
    cy0: upper(mouth.cy0),
    my: upper(mouth.my),
    cy1: upper(mouth.cy1),
    lcx0: towards(mouth.lcx0, mouth.x0 + 6),
    lcx1: towards(mouth.lcx1, mouth.x1 - 6),
    ly: mouth.ly + down,
    lcy0: mouth.lcy0 + down,
    lcy1: mouth.lcy1 + down,
  };
  return { ...pose, mouth: spoken, ring: { ...ring, ry: ring.ry + 7 * opening } };
}
