/** Watches what robots play: a sound whose first sample was acked must be heard to its end, over whichever robot-link the rest of it comes. */
import type { RecordedRobot } from '@perch/chaos';

type Sound = NonNullable<RecordedRobot['core']['playing']>;

export class SoundWatch {
  /** Sounds that ended. */
  heard = 0;
  /** Sounds that ended before their last sample, one line each. */
  readonly broken: string[] = [];
  readonly #robots: readonly RecordedRobot[];
  readonly #off: (() => void)[] = [];

  constructor(robots: readonly RecordedRobot[]) {
    this.#robots = robots;
    for (const { id, core } of robots) {
      const open = new Map<number, Sound>();
      this.#off.push(
        core.on('sound', (sound) => void open.set(sound.stream, sound)),
        core.on('playDone', ({ stream, reason }) => {
          const sound = open.get(stream);
          if (sound === undefined) return;
          open.delete(stream);
          this.heard += 1;
          if (reason === 'end' && sound.received === sound.bytes) return;
          this.broken.push(`${id}: a sound ended with ${reason} after ${sound.received} of ${sound.bytes} bytes`);
        }),
      );
    }
  }

  /** Returns whether some robot plays. */
  get playing(): boolean {
    return this.#robots.some(({ core }) => core.playing !== null);
  }

  stop(): void {
    for (const off of this.#off.splice(0)) off();
  }
}
