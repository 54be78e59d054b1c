/** The shapes of a face, which the web page draws as SVG and on a canvas, and the renderer on a canvas. */
import { screen } from '../scene.js';
import type { BrowPose, EyePose, FacePose, MouthPose } from './face-pose.js';
import { lineWidth, restPose } from './rest-poses.js';

export const faceColors = { ink: '#f2f6ff', ground: '#0a0d14', tongue: '#ff7a8a', cheek: '#ff7a9c', tear: '#6db5ff' } as const;

export interface FaceShape {
  /** SVG path data on 320 x 240 px, before `facePlace`. */
  path: string;
  color: keyof typeof faceColors;
  /** Width of the line, px. Default: the path is filled. */
  line?: number;
  /** Default: 1. */
  opacity?: number;
}

/** Half the height of an eye that is as flat as a closed one. */
const flat = lineWidth / 2;
const faint = 0.02;
const spiralSteps = 22;
const spiralTurns = 2.2;

/** In drawing order, as all shapes here. */
export function faceShapes(emotion: string): FaceShape[] {
  return poseShapes(restPose(emotion));
}

export function poseShapes(pose: FacePose): FaceShape[] {
  const { gaze, spiral } = pose;
  const at = (share: number): Offset => ({ x: pose.x + share * gaze.x, y: pose.y + share * gaze.y });
  const eyes = [
    { eye: pose.left, side: -1 },
    { eye: pose.right, side: 1 },
  ].map(({ eye, side }) => seen(eye, side, pose));
  return [
    ...eyes.map(eyeShape),
    ...eyes.flatMap((eye, index) => faded(spiral.opacity, spiralShape(eye, index === 0 ? spiral.turn : -spiral.turn))),
    ...lidShapes(pose, at(1)),
    ...faded(pose.leftBrow.opacity, browShape(pose.leftBrow, at(0.8))),
    ...faded(pose.rightBrow.opacity, browShape(pose.rightBrow, at(0.8))),
    ...mouthShapes(pose.mouth, at(0.5)),
    ...ringShapes(pose.ring, at(0.5)),
    ...tongueShapes(pose, at(0.5)),
    ...[60, 260].flatMap((x) => faded(pose.cheeks, { path: ellipse(x, 150, 22, 13, at(0.7)), color: 'cheek' })),
    ...faded(pose.tear, { path: tear(at(0.8)), color: 'tear' }),
    ...faded(pose.zzz.opacity, { path: zzz({ x: pose.x, y: pose.y - pose.zzz.y }), color: 'ink', line: 5 }),
  ];
}

export interface FacePlace {
  x: number;
  y: number;
  scale: number;
}

/** Above a bubble: the face between its brows and its lowest mouth, px, and its scale unless the bubble is high. */
const above = { brows: 50, mouth: 201, scale: 0.8, gap: 2 } as const;

/** Returns the place of a face on the screen: smaller above a bubble, which covers no part of it. @param bubbleTop highest point of the bubble, px */
export function facePlace(bubbleTop: number | null): FacePlace {
  if (bubbleTop === null) return { x: -22, y: -18, scale: 1.14 };
  const { brows, mouth, gap } = above;
  const scale = Math.min(above.scale, (bubbleTop - 2 * gap) / (mouth - brows));
  return { x: (screen.w / 2) * (1 - scale), y: gap - brows * scale, scale };
}

interface Offset {
  x: number;
  y: number;
}

/** Returns the eye where it is drawn. The one on the side the face looks to is larger, as if it were nearer. */
function seen(eye: EyePose, side: number, { gaze, x, y }: FacePose): EyePose {
  const size = 1 + (side * gaze.x) / 220;
  return { ...eye, x: eye.x + x + gaze.x, y: eye.y + y + gaze.y, w: eye.w * size, h: eye.h * size };
}

function eyeShape({ x, y, w, h, open, bend }: EyePose): FaceShape {
  if (open > 0) return { path: ellipse(x, y, w, flat + open * (h - flat)), color: 'ink' };
  const half = w - flat;
  return { path: `M${n(x - half)} ${n(y)} Q${n(x)} ${n(y - open * bend)} ${n(x + half)} ${n(y)}`, color: 'ink', line: lineWidth };
}

function spiralShape({ x, y, w, h, open }: EyePose, turn: number): FaceShape {
  const height = flat + Math.max(0, open) * (h - flat);
  const points = Array.from({ length: spiralSteps + 1 }, (_, step) => {
    const share = step / spiralSteps;
    const angle = 2 * Math.PI * spiralTurns * share + (turn * Math.PI) / 180;
    return `${n(x + 0.86 * w * share * Math.cos(angle))} ${n(y + 0.86 * height * share * Math.sin(angle))}`;
  });
  return { path: `M${points.join(' L')}`, color: 'ground', line: 4.5 };
}

/** The lids slide down from above the eyes. */
function lidShapes({ lids }: FacePose, { x, y }: Offset): FaceShape[] {
  if (lids < faint) return [];
  const place = { x, y: y - 46 * (1 - lids) };
  const left = points([56, 66, 136, 106, 136, 74, 80, 52], place);
  const right = points([264, 66, 184, 106, 184, 74, 240, 52], place);
  return [{ path: `M${left.join(' L')} Z M${right.join(' L')} Z`, color: 'ground' }];
}

function browShape({ x0, y0, cx, cy, x1, y1 }: BrowPose, at: Offset): FaceShape {
  const [a, c, b] = points([x0, y0, cx, cy, x1, y1], at);
  return { path: `M${a} Q${c} ${b}`, color: 'ink', line: lineWidth };
}

function mouthShapes({ line, ...m }: MouthPose, at: Offset): FaceShape[] {
  const [left, c0, middle, c1, right] = points([m.x0, m.y0, m.cx0, m.cy0, m.mx, m.my, m.cx1, m.cy1, m.x1, m.y1], at);
  const upper = `M${left} Q${c0} ${middle} Q${c1} ${right}`;
  const isClosed = Math.abs(m.ly - m.my) < 0.5;
  const [lc1, low, lc0] = points([m.lcx1, m.lcy1, m.lx, m.ly, m.lcx0, m.lcy0], at);
  const path = isClosed ? upper : `${upper} Q${lc1} ${low} Q${lc0} ${left} Z`;
  return [...(isClosed ? [] : [{ path, color: 'ink' } as const]), ...(line < 0.5 ? [] : [{ path, color: 'ink', line: n(line) } as const])];
}

function ringShapes({ x, y, rx, ry, share }: FacePose['ring'], at: Offset): FaceShape[] {
  if (share < faint) return [];
  // The line is complete at a quarter of the size: the ring grows out of a point.
  return [{ path: ellipse(x, y, rx * share, ry * share, at), color: 'ink', line: n(lineWidth * Math.min(1, 4 * share)) }];
}

/** The tongue shows once the mouth is almost open, and follows the lower lip. */
function tongueShapes({ tongue, mouth }: FacePose, { x, y }: Offset): FaceShape[] {
  const [a, c1, b, c2, d, c3] = points([138, 190, 160, 172, 182, 190, 172, 199, 160, 199, 148, 199], { x, y: y + mouth.ly - 200 });
  return faded((tongue - 0.7) / 0.3, { path: `M${a} Q${c1} ${b} Q${c2} ${d} Q${c3} ${a} Z`, color: 'tongue' });
}

function tear(at: Offset): string {
  const [a, c1, b, c2] = points([66, 146, 52, 168, 66, 176, 80, 168], at);
  return `M${a} Q${c1} ${b} Q${c2} ${a} Z`;
}

function zzz(at: Offset): string {
  const letter = (numbers: readonly number[]): string => `M${points(numbers, at).join(' L')}`;
  return `${letter([238, 82, 256, 82, 238, 100, 256, 100])} ${letter([264, 52, 286, 52, 264, 76, 286, 76])}`;
}

function faded(opacity: number, shape: FaceShape): FaceShape[] {
  if (opacity < faint) return [];
  return [opacity >= 1 ? shape : { ...shape, opacity: Math.round(opacity * 100) / 100 }];
}

function ellipse(x: number, y: number, rx: number, ry: number, at: Offset = { x: 0, y: 0 }): string {
  return `M${n(x + at.x - rx)} ${n(y + at.y)} a${n(rx)} ${n(ry)} 0 1 0 ${n(2 * rx)} 0 a${n(rx)} ${n(ry)} 0 1 0 ${n(-2 * rx)} 0 Z`;
}

function points(numbers: readonly number[], at: Offset): string[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) => `${n(numbers[2 * i]! + at.x)} ${n(numbers[2 * i + 1]! + at.y)}`);
}

/** Rounds to a tenth of a pixel: frames that differ by less are the same drawing. */
function n(value: number): number {
  return Math.round(value * 10) / 10;
}
