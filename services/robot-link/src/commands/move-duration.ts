/** The same speed on every robot that takes a duration, whatever its servos. */

const degreesPerSecond = 120;
const unknownDegrees = 60;
const durationMs = { min: 150, max: 3000 };

export interface Angles {
  yaw: number | null;
  pitch: number | null;
}

/** @param target null: the angle stays @returns whole milliseconds */
export function moveDurationMs(now: Angles, target: Angles): number {
  const degrees = Math.max(travel(now.yaw, target.yaw), travel(now.pitch, target.pitch));
  return Math.round(Math.min(durationMs.max, Math.max(durationMs.min, (degrees / degreesPerSecond) * 1000)));
}

function travel(from: number | null, to: number | null): number {
  if (to === null) return 0;
  return from === null ? unknownDegrees : Math.abs(to - from);
}
