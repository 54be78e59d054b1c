/** Enforces the settings of a robot's owner on what its speaker plays. */
import { isQuietAt, type RobotSettings } from '@perch/schema';

type Args = Record<string, unknown>;

export class SoundLimits {
  settings: RobotSettings;
  /** The last volume that a program set in this session; null: none yet. */
  #volume: number | null = null;

  constructor(settings: RobotSettings) {
    this.settings = settings;
  }

  /** @param now Redis time, ms */
  silences(name: string, now: number): boolean {
    return name === 'audio.play' && isQuietAt(this.settings, now);
  }

  /** Returns the arguments to send. A sound without a volume would be played at one that the robot-link may not know, so it gets one. */
  limited(name: string, args: Args): Args {
    const key = name === 'audio.play' ? 'volume' : name === 'audio.volume' ? 'pct' : null;
    if (key === null) return args;
    const wanted = args[key];
    if (typeof wanted === 'number') this.#volume = wanted;
    const { volumeMax } = this.settings;
    return volumeMax === null ? args : { ...args, [key]: Math.min(this.#volume ?? volumeMax, volumeMax) };
  }
}
