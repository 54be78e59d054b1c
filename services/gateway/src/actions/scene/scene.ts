/** All actions are checked as far as possible before the first. A failure ends the scene and carries the results before it. */
import { actionByName, ApiError, inScene, requireScopes, scopesWithin, validateScene, type SceneAnswer, type SceneStep } from '@perch/schema';
import type { Call } from '../../calls/call.js';
import { commandMediaMs } from '../../calls/deadlines.js';
import type { SentPicture } from '../../media/picture-sources.js';
import { requireFeatures } from '../../robots/robot-commands.js';
import type { KnownRobot } from '../../robots/robot-directory.js';
import type { ActionServices, PerformAction } from '../definition/action.js';
import { drawQuestion } from '../ask.js';
import { declaredCommand, requireOwner } from '../command.js';
import { menuImages } from '../menu.js';
import { isTimed, performSteps } from './scene-steps.js';
import { soundSpec } from '../sound.js';

/**
 * `charge` is called once with the cost, taken all or none: one per action, or 1 for a rejected scene. @throws {ApiError} in the order 400 and 403, errors of
 * `charge`, 503 (offline), 501, pictures (400), not_whole; then, with `results`, the error of the failed action
 */
export type Scene = (call: Call, body: unknown, charge: (cost: number) => Promise<unknown>) => Promise<SceneAnswer>;

export interface TimedActions {
  prepare: PerformAction;
  perform: PerformAction;
}

export function createScene(
  { clock, directory, keyValidity, media }: Pick<ActionServices, 'clock' | 'directory' | 'keyValidity' | 'media'>,
  perform: PerformAction,
  timing: (robot: KnownRobot) => TimedActions,
): Scene {
  return async (call, body, charge) => {
    let steps: SceneStep[];
    try {
      steps = validateScene(body);
      requireScopes('this scene', scopesWithin(steps), call.scopes);
      forEachStep(steps, (step) => step.action === 'sound' && soundSpec(step.args));
    } catch (error) {
      await charge(1);
      throw error;
    }
    await charge(steps.length);
    const robot = await directory.heldNow(call.robot);
    forEachStep(steps, (step) => checkOffered(call, robot, step));
    await checkPictures(robot.record.account, steps);
    await checkWhole(call, robot, steps);
    if (!isTimed(steps)) return { ok: true, results: await performSteps({ call, steps, perform, clock, keyValidity }) };
    const timed = timing(robot);
    await prepare(call, steps, timed.prepare);
    return { ok: true, results: await performSteps({ call, steps, perform: timed.perform, clock, keyValidity }) };
  };

  async function checkPictures(account: string, steps: readonly SceneStep[]): Promise<void> {
    for (const [at, step] of steps.entries()) {
      try {
        await media.check(account, picturesOf(step));
      } catch (error) {
        throw error instanceof ApiError ? inScene(error, at) : error;
      }
    }
  }

  /** A question that has to be whole is drawn before the first action, because the scene must not fail at it later. */
  async function checkWhole(call: Call, robot: KnownRobot, steps: readonly SceneStep[]): Promise<void> {
    const at = steps.length - 1;
    const last = steps[at];
    if (last?.action !== 'ask' || last.args.whole !== true) return;
    try {
      await drawQuestion(media, robot, last.args, { ttlMs: commandMediaMs, signal: call.signal, span: call.span });
    } catch (error) {
      throw error instanceof ApiError ? inScene(error, at) : error;
    }
  }

  async function prepare(call: Call, steps: readonly SceneStep[], performPreparing: PerformAction): Promise<void> {
    // A call that was taken over finds its commands recorded, and a failure now must not hide what it did.
    const own = call.preparing(clock.now());
    const made = await Promise.allSettled(steps.map(({ action, args }) => performPreparing(action, own, args)));
    for (const [at, outcome] of made.entries()) {
      if (outcome.status === 'rejected') throw outcome.reason instanceof ApiError ? inScene(outcome.reason, at) : outcome.reason;
    }
  }
}

function forEachStep(steps: readonly SceneStep[], check: (step: SceneStep) => unknown): void {
  for (const [at, step] of steps.entries()) {
    try {
      check(step);
    } catch (error) {
      throw error instanceof ApiError ? inScene(error, at) : error;
    }
  }
}

function checkOffered(call: Call, { record }: KnownRobot, { action, args }: SceneStep): void {
  requireFeatures(record, actionByName.get(action)!.features);
  if (action !== 'command') return;
  requireOwner(call, args.command);
  declaredCommand(record, args.command, args.args);
}

function picturesOf({ action, args }: SceneStep): SentPicture[] {
  if (action === 'menu') return menuImages(args).filter((image) => image !== null);
  if ((action === 'show' || action === 'clickmap') && args.image !== undefined) return [{ field: 'image', text: args.image }];
  return [];
}
