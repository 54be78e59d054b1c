/**
 * scene: several actions, one after the other. All that can be known to be wrong refuses all of them, before the first is done and before the
 * robot is told anything; what comes in between ends the scene there, and the failure says how far it got.
 */
import { actionByName, ApiError, decodePicture, inScene, validateScene, type SceneAnswer, type SceneStep } from '@perch/schema';
import { admittedForMs } from '../auth/admission.js';
import type { Call } from './call.js';
import { asApiError } from '../http/errors.js';
import type { SentPicture } from '../media/media-maker.js';
import { requireFeatures } from '../robots/robot-commands.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import { declaredCommand } from './command.js';
import { performAction } from './index.js';
import { menuImages } from './menu.js';
import { soundSpec } from './sound.js';

/**
 * Checks the actions as they came and does them.
 * @param charge takes from the key's bucket what the call counts as, all or none: one action each, or 1 for a scene that is refused; called once
 * @throws {ApiError} in the order 400, what `charge` throws, 503 (offline), 501, pictures (400); then, with `results`, of the action that failed
 */
export async function runScene(call: Call, body: unknown, charge: (cost: number) => Promise<unknown>): Promise<SceneAnswer> {
  let steps: SceneStep[];
  try {
    steps = validateScene(body);
    each(steps, (step) => step.action === 'sound' && soundSpec(step.args));
  } catch (error) {
    await charge(1);
    throw error;
  }
  await charge(steps.length);
  const robot = await call.tools.directory.heldNow(call.robot);
  each(steps, (step) => checkOffered(robot, step));
  each(steps, (step) => picturesOf(step).forEach(({ field, base64 }) => decodePicture(field, base64)));
  return { ok: true, results: await performed(call, steps) };
}

async function performed(call: Call, steps: readonly SceneStep[]): Promise<SceneAnswer['results']> {
  const { apiKeys } = call.tools.store;
  const results: SceneAnswer['results'] = [];
  let admittedAt = performance.now();
  for (const [at, { action, args }] of steps.entries()) {
    try {
      call.signal.throwIfAborted();
      if (performance.now() - admittedAt > admittedForMs) {
        const [valid] = await apiKeys.stillValid([call.keyHash]);
        if (valid === false) throw new ApiError('unauthorized', 'The API key stopped working before the scene was over.');
        admittedAt = performance.now();
      }
      // Its deadlines count from its turn, as if it had been called now.
      results.push({ ...(await performAction(action, call.again(), args)) });
    } catch (error) {
      // Its client hung up, or gave it up: nobody reads how far it got.
      if (call.signal.aborted && error === call.signal.reason) throw error;
      const { code, message, field, cause, retryAfterS } = inScene(asApiError(error), at);
      throw new ApiError(code, message, { field, cause, retryAfterS, results });
    }
  }
  return results;
}

/** @throws {ApiError} naming the action that `check` refused */
function each(steps: readonly SceneStep[], check: (step: SceneStep) => unknown): void {
  for (const [at, step] of steps.entries()) {
    try {
      check(step);
    } catch (error) {
      throw error instanceof ApiError ? inScene(error, at) : error;
    }
  }
}

/** @throws {ApiError} not_offered, bad_argument, command_not_passed_on */
function checkOffered({ record }: KnownRobot, { action, args }: SceneStep): void {
  requireFeatures(record, actionByName.get(action)!.features);
  if (action === 'command') declaredCommand(record, args.command, args.args);
}

function picturesOf({ action, args }: SceneStep): SentPicture[] {
  if (action === 'menu') return menuImages(args).filter((image) => image !== null);
  if ((action === 'show' || action === 'clickmap') && args.image !== undefined) return [{ field: 'image', base64: args.image }];
  return [];
}
