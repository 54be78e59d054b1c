import { withSpan, type Reaction } from '@perch/screen/own-screen';
import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { liveMs } from '../../drawing/live/scene.js';

/** Records what is done to the robot, as its own sensors feel it: nothing of it comes over the link. */
export class RobotReactions {
  #recent: readonly Reaction[] = [];
  readonly #off: () => void;

  constructor(robot: BrowserRobot) {
    this.#off = robot.on('input', ({ kind }) => {
      if (kind === 'head_down') this.#add({ kind: 'petted', at: liveMs(), until: null });
      if (kind === 'head_up') this.#endPetting();
    });
  }

  get recent(): readonly Reaction[] {
    return this.#recent;
  }

  feel(kind: 'shaken' | 'lifted'): void {
    this.#add({ kind, at: liveMs(), until: liveMs() });
  }

  end(): void {
    this.#off();
  }

  #add(reaction: Reaction): void {
    this.#endPetting();
    this.#recent = withSpan(this.#recent, reaction);
  }

  #endPetting(): void {
    this.#recent = this.#recent.map((reaction) => (reaction.until === null ? { ...reaction, until: liveMs() } : reaction));
  }
}
