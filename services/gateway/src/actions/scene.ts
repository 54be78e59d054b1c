/** All actions are checked as far as possible before the first. A failure ends the scene and carries the results before it. */
import {
  actionByName,
  ApiError,
  inScene,
  requireScopes,
  scopesWithin,
  validateScene,
  type SceneAnswer,
  type SceneStep,
  limits,
  type PictureRef,
} from '@perch/schema';
import type { Call } from '../calls/call.js';
import { commandMediaMs } from '../calls/service-time.js';
import type { SentPicture } from '../media/picture-sources.js';
import { requireFeatures } from '../robots/robot-commands.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import type { ActionServices, PerformAction } from './action.js';
import { drawQuestion } from './ask.js';
import { declaredCommand, requireOwner } from './command.js';
import { menuImages } from './menu.js';
import { soundSpec } from './sound.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { asApiError, TakenOver } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import { renderOptionsOf } from '../waits/wait.js';
import { sha256 } from '@perch/runtime';

/**
 * `charge` is called once with the cost, taken all or none: one per action, or 1 for a rejected scene. @throws {ApiError} in the order 400 and 403, errors of
 * `charge`, 503 (offline), 501, pictures (400), not_whole; then, with `results`, the error of the failed action
 */
export type Scene = (call: Call, body: unknown, charge: (cost: number) => Promise<unknown>) => Promise<SceneAnswer>;

interface TimedActions {
  prepare: PerformAction;
  perform: PerformAction;
}

export function createScene(
  { clock, directory, keyValidity, media }: Pick<ActionServices, 'clock' | 'directory' | 'keyValidity' | 'media'>,
  perform: PerformAction,
  timing: (robot: CachedRobot) => TimedActions,
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
  async function checkWhole(call: Call, robot: CachedRobot, steps: readonly SceneStep[]): Promise<void> {
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

function checkOffered(call: Call, { record }: CachedRobot, { action, args }: SceneStep): void {
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

type Results = SceneAnswer['results'];

interface SceneRun {
  call: Call;
  steps: readonly SceneStep[];
  perform: PerformAction;
  clock: ActionServices['clock'];
  keyValidity: KeyValidity;
}

function isTimed(steps: readonly SceneStep[]): boolean {
  return steps.some(({ atMs }) => atMs !== null);
}

/** A step with a time starts then; any other once those before it are done. Throws the first failed step's error, with the results before it. */
async function performSteps({ call, steps, perform, clock, keyValidity }: SceneRun): Promise<Results> {
  const zero = performance.now();
  const timed = isTimed(steps);
  const results = new Map<number, Results[number]>();
  const failures = new Map<number, unknown>();
  const failed = new AbortController();
  const ending = AbortSignal.any([call.signal, failed.signal]);
  const running: Promise<void>[] = [];
  const start = async (at: number, { action, args }: SceneStep): Promise<void> => {
    try {
      call.signal.throwIfAborted();
      await keyValidity.require(call, 'before the scene was over');
      // The deadlines of an action count from when it begins.
      const own = timed ? call.part(at, clock.now()) : call.restarted(clock.now());
      results.set(at, { ...(await perform(action, own, args)) });
    } catch (error) {
      failures.set(at, error);
      failed.abort();
    }
  };
  for (const [at, step] of steps.entries()) {
    if (step.atMs === null) await Promise.all(running);
    else await until(zero + step.atMs, ending);
    if (failures.size > 0) break;
    running.push(start(at, step));
    if (step.atMs === null) await Promise.all(running);
  }
  await Promise.all(running);
  if (failures.size > 0) throw failureOf(call, failures, results);
  return steps.map((_, at) => results.get(at)!);
}

function failureOf(call: Call, failures: ReadonlyMap<number, unknown>, results: ReadonlyMap<number, Results[number]>): unknown {
  const at = Math.min(...failures.keys());
  // The call was cancelled, or another gateway answers it: no client reads the results.
  const ending = [...failures.values()].find((error) => error instanceof TakenOver || (call.signal.aborted && error === call.signal.reason));
  if (ending !== undefined) return ending;
  const failure = inScene(asApiError(failures.get(at)), at);
  return failure.with(failure.message, { results: Array.from({ length: at }, (_, index) => results.get(index)!) });
}

/** Returns at once, without leaving the event-loop iteration, when the time has come: steps with the same time start together. */
async function until(time: number, signal: AbortSignal): Promise<void> {
  const leftMs = time - performance.now();
  if (leftMs <= 0 || signal.aborted) return;
  await sleep(leftMs, undefined, { signal }).catch(() => undefined);
}

/** Services that make pictures and sounds and do nothing else: performed with them before time zero, an action finds its media in Redis later. */
export function preparation(services: ActionServices, robot: CachedRobot, pictures: PreparedPictures): ActionServices {
  const { media } = services;
  const drawSent = pictures.drawing((to, sent, sceneOf, options) => media.drawSent(to, sent, sceneOf, options));
  const lasting = <T extends { ttlMs: number }>(options: T): T => ({ ...options, ttlMs: options.ttlMs + limits.scene.atMsMax });
  return {
    ...services,
    media: {
      check: (account, sent) => media.check(account, sent),
      draw: (to, scene, options) => media.draw(to, scene, lasting(options)),
      drawSent: (to, sent, sceneOf, options) => drawSent(to, sent, sceneOf, lasting(options)),
      play: (to, spec, options) => media.play(to, spec, lasting(options)),
      // All of it, so that the speech does not begin late.
      speak: (to, spec, _whole, options) => media.speak(to, spec, true, lasting(options)),
    },
    commands: {
      send: async (call, { needs, command }) => {
        requireFeatures(robot.record, needs);
        if (typeof command === 'function') await command(robot, call.signal);
        return { result: {}, replaced: false };
      },
    },
    waits: {
      run: async (call, plan) => {
        await plan.picture?.(robot, renderOptionsOf(plan, call.signal, call));
        return { outcome: 'timed_out', robotAway: false };
      },
    },
    // A stop ends what an action plays, not the scene.
    stops: { endWaits: () => Promise.resolve(false), unlessStopped: ({ signal }, work) => work(signal) },
  };
}

export function withPrepared(services: ActionServices, pictures: PreparedPictures): ActionServices {
  const { media } = services;
  return {
    ...services,
    media: {
      check: (account, sent) => media.check(account, sent),
      draw: (to, scene, options) => media.draw(to, scene, options),
      drawSent: pictures.taking((to, sent, sceneOf, options) => media.drawSent(to, sent, sceneOf, options)),
      play: (to, spec, options) => media.play(to, spec, options),
      speak: (to, spec, whole, options) => media.speak(to, spec, whole, options),
    },
  };
}

/** Drawing a caller's picture again would fetch it from its address again, which takes up to 5 s and may yield another picture. */
type DrawSent = ActionServices['media']['drawSent'];

export class PreparedPictures {
  readonly #drawn = new Map<string, PictureRef[]>();

  drawing(drawSent: DrawSent): DrawSent {
    return async (robot, sent, sceneOf, options) => {
      const picture = await drawSent(robot, sent, sceneOf, options);
      const key = keyOf(robot, sent, sceneOf);
      this.#drawn.set(key, [...(this.#drawn.get(key) ?? []), picture]);
      return picture;
    };
  }

  /** Returns each kept picture once, since a command is built again if its picture has expired. Others are drawn. */
  taking(drawSent: DrawSent): DrawSent {
    return async (robot, sent, sceneOf, options) =>
      this.#drawn.get(keyOf(robot, sent, sceneOf))?.shift() ?? (await drawSent(robot, sent, sceneOf, options));
  }
}

function keyOf(robot: Parameters<DrawSent>[0], sent: Parameters<DrawSent>[1], sceneOf: Parameters<DrawSent>[2]): string {
  const scene = sceneOf(sent.map((picture) => (picture === null ? null : picture.field)));
  return sha256(JSON.stringify([robot.id, robot.record.hello.screen, sent, scene]));
}
