/** Each part is ended independently, so that a failure does not affect the others. */
import { ApiError, stoppedParts, validateStop, type Feature, type StopAnswer, type StoppedPart } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { CommandRequest } from '../robots/robot-commands.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { ledMaDefault } from '../media/led-color.js';
import type { ActionServices } from './action.js';
import { ledsCommand } from './leds.js';

type End = 'ended' | 'nothing_to_end' | 'left_out';

const waitNeeds: readonly Feature[] = ['screen', 'touch'];

const commandOf: { [P in Exclude<StoppedPart, 'wait'>]: CommandRequest } = {
  sound: { needs: ['speaker'], command: { name: 'audio.stop', args: {} } },
  leds: { needs: ['leds'], follows: true, command: ledsCommand({ effect: 'off', speed: 1, seconds: 0 }, ledMaDefault) },
  // The robot link has no command that stops a head where it is. The gesture `home` ends every other motion and moves the head to its rest position.
  head: { needs: ['head'], follows: true, command: { name: 'head.gesture', args: { name: 'home' } } },
};

/** Costs one action. @throws {ApiError} 400 or robot_offline, without ending anything; a failed part's, after ending the others */
export type Stop = (call: Call, body: unknown) => Promise<StopAnswer>;

export function createStop({
  commands,
  directory,
  keyValidity,
  stops,
}: Pick<ActionServices, 'commands' | 'directory' | 'keyValidity' | 'stops'>): Stop {
  return async (call, body) => {
    validateStop(body);
    // Bypass the cache: a rejected call must not end a wait, so the location of the robot must be certain.
    const robot = await directory.heldNow(call.robot);
    await keyValidity.require(call, 'before anything was stopped');
    const ends = await Promise.allSettled(stoppedParts.map((part) => endPart(call, robot, part)));
    const failed = ends.findIndex(({ status }) => status === 'rejected');
    if (failed !== -1) throw naming(stoppedParts[failed]!, (ends[failed] as PromiseRejectedResult).reason);
    const parts = (wanted: End): StoppedPart[] => stoppedParts.filter((_, i) => (ends[i] as PromiseFulfilledResult<End>).value === wanted);
    return { ok: true, stopped: parts('ended'), left_out: parts('left_out') };
  };

  async function endPart(call: Call, robot: CachedRobot, part: StoppedPart): Promise<End> {
    if (part === 'wait') {
      if (!waitNeeds.every((feature) => robot.record.hello.features.includes(feature))) return 'left_out';
      return (await stops.endWaits(call, robot)) ? 'ended' : 'nothing_to_end';
    }
    try {
      await commands.send(call, commandOf[part]);
      return 'ended';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_offered') return 'left_out';
      throw error;
    }
  }
}

function naming(part: StoppedPart, error: unknown): unknown {
  return error instanceof ApiError ? error.with(`${part}: ${error.message}`) : error;
}
