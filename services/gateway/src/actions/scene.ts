/**
 * scene: performs several actions in order. Everything that can be checked in advance is checked before the first action. A later failure ends the
 * scene at that action, and the error contains the results of the actions before it.
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
 * Validates the actions and performs them.
 * @param charge takes the cost from the key's bucket, all or none: one per action, or 1 for a rejected scene; called once
 * @throws {ApiError} in the order 400, errors of `charge`, 503 (offline), 501, pictures (400); then, with `results`, the error of the failed action
 */
export async function runScene(call: Call, body: unknown, charge: (cost: number) => Promise<unknown>): Promise<SceneAnswer> {
  let steps: SceneStep[];
  try {
    steps = validateScene(body);
    forEachStep(steps, (step) => step.action === 'sound' && soundSpec(step.args));
  } catch (error) {
    await charge(1);
    throw error;
  }
  await charge(steps.length);
  const robot = await call.services.directory.heldNow(call.robot);
  forEachStep(steps, (step) => checkOffered(robot, step));
  forEachStep(steps, (step) => picturesOf(step).forEach(({ field, base64 }) => decodePicture(field, base64)));
  return { ok: true, results: await performSteps(call, steps) };
}

async function performSteps(call: Call, steps: readonly SceneStep[]): Promise<SceneAnswer['results']> {
  const { apiKeys } = call.services.store;
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
      // The deadlines of an action count from when it begins.
      results.push({ ...(await performAction(action, call.restarted(), args)) });
    } catch (error) {
      // The call was cancelled: no client reads the results.
      if (call.signal.aborted && error === call.signal.reason) throw error;
      const { code, message, field, cause, retryAfterS } = inScene(asApiError(error), at);
      throw new ApiError(code, message, { field, cause, retryAfterS, results });
    }
  }
  return results;
}

/** Runs a check on every step. @throws {ApiError} the error of `check`, naming the step */
function forEachStep(steps: readonly SceneStep[], check: (step: SceneStep) => unknown): void {
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
