/** Services that make pictures and sounds and do nothing else: performed with them before time zero, an action finds its media in Redis later. */
import { limits } from '@perch/schema';
import { requireFeatures } from '../../robots/robot-commands.js';
import type { KnownRobot } from '../../robots/robot-directory.js';
import { renderOptionsOf } from '../../waits/wait-plan.js';
import type { ActionServices } from '../definition/action.js';
import type { PreparedPictures } from './prepared-pictures.js';

export function preparation(services: ActionServices, robot: KnownRobot, pictures: PreparedPictures): ActionServices {
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
      stop: () => Promise.resolve(false),
    },
    // A stop ends what an action plays, not the scene.
    stops: { unlessStopped: ({ signal }, work) => work(signal) },
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
