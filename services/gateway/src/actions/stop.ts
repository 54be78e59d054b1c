/** stop: whatever the robot is at, ended at once; each part by itself, so that one that fails keeps none from ending. */
import { ApiError, stoppedParts, validateStop, type Feature, type RobotCommand, type StopAnswer, type StoppedPart } from '@perch/schema';
import type { Call } from './call.js';
import { unknownFate } from '../idempotency/idempotent-call.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import { ledsCommand } from './leds.js';

type End = 'ended' | 'nothing_to_end' | 'left_out';

/** What takes to have a wait: what ask and menu need. */
const waitNeeds: readonly Feature[] = ['screen', 'touch'];

const commandOf: { [P in Exclude<StoppedPart, 'wait'>]: { needs: Feature[]; command: RobotCommand } } = {
  sound: { needs: ['speaker'], command: { name: 'audio.stop', args: {} } },
  leds: { needs: ['leds'], command: ledsCommand({ effect: 'off', speed: 1, seconds: 0 }) },
  // The link has no command that halts a head where it is; home ends every other motion, and is where it rests.
  head: { needs: ['head'], command: { name: 'head.gesture', args: { name: 'home' } } },
};

/**
 * Checks the arguments as they came and ends what there is to end. Costs one action.
 * @throws {ApiError} 400, then robot_offline, which ends nothing; of a part that failed, what it failed with, once the others are ended
 */
export async function runStop(call: Call, body: unknown): Promise<StopAnswer> {
  validateStop(body);
  // What a gateway did that died is not known of the wait: done again, it might end a newer one.
  if (call.idempotent?.recalled === true) throw unknownFate();
  // Not from memory: a call that is refused ends no wait, so it must be right about where the robot is.
  const robot = await call.tools.directory.heldNow(call.robot);
  const ends = await Promise.allSettled(stoppedParts.map((part) => endPart(call, robot, part)));
  const failed = ends.findIndex(({ status }) => status === 'rejected');
  if (failed !== -1) throw naming(stoppedParts[failed]!, (ends[failed] as PromiseRejectedResult).reason);
  const parts = (wanted: End): StoppedPart[] => stoppedParts.filter((_, i) => (ends[i] as PromiseFulfilledResult<End>).value === wanted);
  return { ok: true, stopped: parts('ended'), left_out: parts('left_out') };
}

async function endPart(call: Call, robot: KnownRobot, part: StoppedPart): Promise<End> {
  if (part === 'wait') {
    if (!waitNeeds.every((feature) => robot.record.hello.features.includes(feature))) return 'left_out';
    const isOver = await call.tools.waits.stop(robot).catch((error: unknown) => {
      call.idempotent?.acted();
      throw error;
    });
    if (!isOver) return 'nothing_to_end';
    // Even where all else fails: done again under its key, it might end a newer one.
    call.idempotent?.acted();
    return 'ended';
  }
  try {
    await call.tools.commands.send(call, commandOf[part]);
    return 'ended';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_offered') return 'left_out';
    throw error;
  }
}

function naming(part: StoppedPart, error: unknown): unknown {
  return error instanceof ApiError
    ? new ApiError(error.code, `${part}: ${error.message}`, { cause: error.cause, retryAfterS: error.retryAfterS })
    : error;
}
