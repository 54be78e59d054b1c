/** A virtual robot on a server of the link that tests control. */

import { LinkServer, type LinkSession } from '@perch/link-server';
import { VirtualRobot, type Clock, type Fields, type RobotOptions } from '../src/index.js';

/**
 * A clock whose time passes in steps of 2 ms times the factor, one for each round of the event loop while timers are set: a machine that stalls makes no time
 * pass. A timer runs at exactly the time it is due.
 */
export function fastClock(times: number): Clock {
  const timers = new Set<{ at: number; run: () => void }>();
  let now = 1000;
  let steps: NodeJS.Timeout | undefined;
  const step = (): void => {
    const end = now + 2 * times;
    for (;;) {
      const next = [...timers]
        .filter(({ at }) => at <= end)
        .reduce<{ at: number; run: () => void } | null>((one, other) => (one && one.at <= other.at ? one : other), null);
      if (next === null) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
    }
    now = end;
    if (timers.size > 0) return;
    clearInterval(steps);
    steps = undefined;
  };
  return {
    now: () => now,
    setTimeout: (run, ms) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      steps ??= setInterval(step, 2);
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer as { at: number; run: () => void }),
  };
}

export interface ConnectedRobot {
  server: LinkServer;
  robot: VirtualRobot;
  session: LinkSession;
}

export function withRobot(
  options: Partial<RobotOptions> & { tokenIn?: 'header' | 'subprotocol'; welcome?: Fields },
  run: (connected: ConnectedRobot) => Promise<void>,
) {
  return async (): Promise<void> => {
    const { welcome = {}, ...robotOptions } = options;
    const server = await new LinkServer().start();
    server.welcome = welcome;
    const robot = new VirtualRobot({ url: server.url, token: 'rt_test', reconnect: { minMs: 20, maxMs: 200 }, instant: true, ...robotOptions });
    try {
      await robot.start();
      await run({ server, robot, session: await server.session(1) });
    } finally {
      await robot.stop();
      await server.stop();
    }
  };
}

export function bytes(count: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16);
}
