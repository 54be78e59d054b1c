/** The robot's own screen as shapes and texts, for drawings that are not scenes: the web page animates it, and finds the pixels that are touched. */
export { faceColors, facePlace, faceShapes, poseShapes, type FaceShape } from '../face/face-shapes.js';
export { emotionOf, emotions, type Emotion } from '../face/rest-poses.js';
export type { FacePose } from '../face/face-pose.js';
export {
  newFaceLife,
  talkMs,
  withChange,
  withSpan,
  type Change,
  type FaceLife,
  type Look,
  type Mood,
  type Reaction,
  type Talk,
} from '../face/face-life.js';
export { livePlace, livePose, stillPose } from '../face/live-face.js';
export { timings } from '../face/timings.js';
export { pixelAt } from '../target.js';
export { bubbleBaseline, bubbleColors, bubbleFrame, bubbleTop, type BubbleFrame } from './bubble-frame.js';
export { readingsColors, readingsText, readingsTiles, type ReadingsShown } from './readings-tiles.js';
