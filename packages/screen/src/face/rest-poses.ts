/** The faces at rest: what a still picture of the face shows. */
import type { BrowPose, EyePose, FacePose, MouthPose } from './face-pose.js';

export const lineWidth = 9;

type Point = readonly [x: number, y: number];

const neutral: FacePose = {
  // Tall eyes low in the face, near a smile, look young and friendly.
  left: { ...eye(98, 112, 22), h: 28 },
  right: { ...eye(222, 112, 22), h: 28 },
  leftBrow: brow([62, 70], [94, 56], [124, 64], 0),
  rightBrow: brow([258, 70], [226, 56], [196, 64], 0),
  mouth: curvedMouth([130, 163], [160, 190], [190, 163]),
  ring: { x: 160, y: 178, rx: 13, ry: 10, share: 0 },
  lids: 0,
  tongue: 0,
  cheeks: 0.3,
  tear: 0,
  zzz: { opacity: 0, y: 0 },
  spiral: { opacity: 0, turn: 0 },
  x: 0,
  y: 0,
  gaze: { x: 0, y: 0 },
};

const sleepy: FacePose = {
  ...neutral,
  left: closedEye(96, 112, 20),
  right: closedEye(224, 112, 20),
  mouth: { ...curvedMouth([160, 178], [160, 178], [160, 178]), line: 0 },
  ring: { x: 160, y: 178, rx: 13, ry: 10, share: 1 },
  zzz: { opacity: 0.7, y: 0 },
};

const restPoses = {
  neutral,
  happy: {
    ...neutral,
    left: closedEye(96, 116, -44),
    right: closedEye(224, 116, -44),
    mouth: {
      ...curvedMouth([116, 150], [160, 162], [204, 150]),
      lcx1: 196,
      lcy1: 200,
      lx: 160,
      ly: 200,
      lcx0: 124,
      lcy0: 200,
      line: 0,
    },
    tongue: 1,
    cheeks: 0.55,
  },
  angry: {
    ...neutral,
    left: eye(96, 116, 21),
    right: eye(224, 116, 21),
    leftBrow: brow([60, 72], [95, 89], [130, 106], 1),
    rightBrow: brow([260, 72], [225, 89], [190, 106], 1),
    lids: 1,
    cheeks: 0,
    mouth: curvedMouth([122, 186], [160, 160], [198, 186]),
  },
  sad: {
    ...neutral,
    left: eye(96, 114, 20),
    right: eye(224, 114, 20),
    leftBrow: brow([62, 92], [88, 84], [112, 64], 1),
    rightBrow: brow([258, 92], [232, 84], [208, 64], 1),
    cheeks: 0,
    mouth: curvedMouth([126, 190], [160, 158], [194, 190]),
    tear: 1,
  },
  doubt: {
    ...neutral,
    left: eye(96, 110, 24),
    right: eye(224, 116, 15),
    leftBrow: brow([62, 68], [94, 44], [128, 64], 1),
    rightBrow: brow([256, 82], [225, 85], [194, 88], 1),
    cheeks: 0,
    mouth: closedMouth([120, 178], [138, 164], [158, 176], [178, 188], [198, 170]),
  },
  sleepy,
} as const satisfies Record<string, FacePose>;

export type Emotion = keyof typeof restPoses;

export const emotions = Object.keys(restPoses) as readonly Emotion[];

/** Returns the emotion that is drawn: neutral for an unknown one. */
export function emotionOf(emotion: string): Emotion {
  return emotions.find((known) => known === emotion) ?? 'neutral';
}

export function restPose(emotion: string): FacePose {
  return restPoses[emotionOf(emotion)];
}

/** Faces of what happens to the robot. */
export const reactionPoses = {
  /** Offline: the face of sleepiness, breathing and dreaming. */
  asleep: sleepy,
  petted: {
    ...neutral,
    left: closedEye(96, 112, -34),
    right: closedEye(224, 112, -34),
    mouth: curvedMouth([126, 164], [160, 196], [194, 164]),
    cheeks: 0.5,
  },
  dizzy: {
    ...neutral,
    left: eye(96, 108, 29),
    right: eye(224, 108, 29),
    cheeks: 0,
    mouth: closedMouth([124, 178], [142, 162], [160, 176], [178, 190], [196, 174]),
    spiral: { opacity: 1, turn: 0 },
  },
  surprised: {
    ...neutral,
    left: eye(96, 110, 28),
    right: eye(224, 110, 28),
    leftBrow: brow([66, 66], [94, 46], [122, 58], 1),
    rightBrow: brow([254, 66], [226, 46], [198, 58], 1),
    mouth: { ...curvedMouth([160, 182], [160, 182], [160, 182]), line: 0 },
    ring: { x: 160, y: 182, rx: 12, ry: 15, share: 1 },
  },
} as const satisfies Record<string, FacePose>;

function eye(x: number, y: number, radius: number): EyePose {
  return { x, y, w: radius, h: radius, open: 1, bend: 14 };
}

function closedEye(x: number, y: number, bend: number): EyePose {
  return { x, y, w: 32.5, h: 22, open: -1, bend };
}

function brow([x0, y0]: Point, [cx, cy]: Point, [x1, y1]: Point, opacity: number): BrowPose {
  return { x0, y0, cx, cy, x1, y1, opacity };
}

/** A closed mouth of one quadratic curve. */
function curvedMouth(left: Point, control: Point, right: Point): MouthPose {
  const half = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const [c0, c1] = [half(left, control), half(control, right)];
  return closedMouth(left, c0, half(c0, c1), c1, right);
}

function closedMouth([x0, y0]: Point, [cx0, cy0]: Point, [mx, my]: Point, [cx1, cy1]: Point, [x1, y1]: Point): MouthPose {
  return { x0, y0, cx0, cy0, mx, my, cx1, cy1, x1, y1, lcx1: cx1, lcy1: cy1, lx: mx, ly: my, lcx0: cx0, lcy0: cy0, line: lineWidth };
}
