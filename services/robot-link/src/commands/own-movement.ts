import { moveDurationMs, type Angles } from './move-duration.js';

/** Longest gesture of a robot, such as three shakes of its head. */
const gestureMs = 2500;
/** The robot's own commands that move nothing. Others, such as a dance, may shake the robot. */
const still: ReadonlySet<unknown> = new Set(['sticker', 'brightness', 'screen', 'power_led', 'ir_send', 'clock']);

export function ownMovementMs(name: string, args: Record<string, unknown>, headNow: () => Angles): number | null {
  if (name === 'head.gesture') return gestureMs;
  if (name === 'robot') return still.has(args['command']) ? null : gestureMs;
  if (name !== 'head.move') return null;
  const { yaw, pitch } = args as { yaw?: number; pitch?: number };
  return moveDurationMs(headNow(), { yaw: yaw ?? null, pitch: pitch ?? null });
}
