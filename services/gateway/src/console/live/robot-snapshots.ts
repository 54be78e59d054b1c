/** Each watched robot is polled a few times a second, once for all pages of this instance. */
import type { ObservedState, RobotSnapshot } from '@perch/schema';
import type { RobotStates } from '../../robots/robot-states.js';
import { sseRecord } from '../../http/sse/event-text.js';
import { SharedPoller } from './shared-poller.js';

const intervalMs = 400;
const idle: ObservedState = { bubble: null, head: { yaw: null, pitch: null, moving: false }, leds: { pixels: null, effect: null }, sound: false };

export class RobotSnapshots {
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #pollers = new Map<string, SharedPoller<RobotSnapshot>>();

  constructor(states: Pick<RobotStates, 'watch'>) {
    this.#states = states;
  }

  /** Calls back with the snapshot as a record of the stream, now and on each change, until the robot is removed. @returns unsubscribes */
  subscribe(robot: string, onRecord: (record: string) => void): () => void {
    let poller = this.#pollers.get(robot);
    if (poller === undefined) {
      poller = this.#pollerFor(robot);
      this.#pollers.set(robot, poller);
    }
    return poller.subscribe(onRecord);
  }

  #pollerFor(robot: string): SharedPoller<RobotSnapshot> {
    let last: { session: string; doing: ObservedState } | null = null;
    return new SharedPoller<RobotSnapshot>({
      intervalMs: () => intervalMs,
      poll: async () => {
        const { known, state, doing } = await this.#states.watch(robot);
        const { session } = known.lease;
        const online = known.lease.state !== 'away';
        if (doing !== null) last = { session, doing };
        // If the robot-link did not reply in time, keep the last state of the same session.
        const does = doing ?? (online && last?.session === session ? last.doing : idle);
        return {
          online,
          showing: state.showing,
          ...does,
          readings: state.readings as RobotSnapshot['readings'],
          readings_at: timeOrNull(state.readingsAt),
        };
      },
      comparable: JSON.stringify,
      format: (snapshot) => sseRecord({ event: 'twin', data: snapshot }),
      onEmpty: () => this.#pollers.delete(robot),
    });
  }
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
