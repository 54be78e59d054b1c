/** What robots do now, as the page draws them: each robot that some page watches is asked a few times a second, once for all pages. */
import type { Doing, Twin } from '@perch/schema';
import type { RobotStates } from '../../robots/robot-states.js';
import { sseRecord } from '../../http/sse/event-text.js';
import { SharedLook } from './shared-poller.js';

const everyMs = 400;
const nothing: Doing = { bubble: null, head: { yaw: null, pitch: null, moving: false }, leds: { pixels: null, effect: null }, sound: false };

export class Twins {
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #looks = new Map<string, SharedLook<Twin>>();

  constructor(states: Pick<RobotStates, 'watch'>) {
    this.#states = states;
  }

  /** Tells the twin as a record of the stream, now and when it changes; nothing any more of a robot that was removed. @returns leaves */
  join(robot: string, told: (record: string) => void): () => void {
    let look = this.#looks.get(robot);
    if (look === undefined) {
      look = this.#look(robot);
      this.#looks.set(robot, look);
    }
    return look.join(told);
  }

  #look(robot: string): SharedLook<Twin> {
    let last: { session: string; doing: Doing } | null = null;
    return new SharedLook<Twin>({
      everyMs: () => everyMs,
      look: async () => {
        const { known, state, doing } = await this.#states.watch(robot);
        const { session } = known.lease;
        const online = known.lease.state !== 'away';
        if (doing !== null) last = { session, doing };
        // An instance that is late has not forgotten what its robot does.
        const does = doing ?? (online && last?.session === session ? last.doing : nothing);
        return { online, showing: state.showing, ...does, readings: state.readings as Twin['readings'], readings_at: timeOrNull(state.readingsAt) };
      },
      compared: JSON.stringify,
      textOf: (twin) => sseRecord({ event: 'twin', data: twin }),
      empty: () => this.#looks.delete(robot),
    });
  }
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
