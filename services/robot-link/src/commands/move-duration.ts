/** How long a head movement should take, for robots whose servos are told a time: the same pace for every robot, whatever its servos. */

const degreesPerSecond = 120;
/** Where a current angle is unknown, the movement is assumed to be this far. */
const unknownDegrees = 60;
const durationMs = { min: 150, max: 3000 };

interface Angles {
  yaw: number | null;
  pitch: number | null;
}

/**
 * @param target angles of the command; null where it leaves one as it is
 * @returns whole milliseconds
 */
export function moveDurationMs(now: Angles, target: Angles): number {
  const degrees = Math.max(travel(now.yaw, target.yaw), travel(now.pitch, target.pitch));
  return Math.round(Math.min(durationMs.max, Math.max(durationMs.min, (degrees / degreesPerSecond) * 1000)));
}

function travel(from: number | null, to: number | null): number {
  if (to === null) return 0;
  return from === null ? unknownDegrees : Math.abs(to - from);
}
