/** A sound whose first sample was acked must be played to its end, whichever robot-link delivers the rest. */
import type { RecordedRobot } from '@perch/chaos';

type Sound = NonNullable<RecordedRobot['core']['playing']>;

export class SoundWatch {
  played = 0;
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
          this.played += 1;
          if (reason === 'end' && sound.received === sound.bytes) return;
          this.broken.push(`${id}: a sound ended with ${reason} after ${sound.received} of ${sound.bytes} bytes`);
        }),
      );
    }
  }

  get playing(): boolean {
    return this.#robots.some(({ core }) => core.playing !== null);
  }

  stop(): void {
    for (const off of this.#off.splice(0)) off();
  }
}
