import { Body } from './body/body.js';
import type { Bubble, Emotion, View } from './body/face.js';
import type { HeadState } from './body/head.js';
import type { LedState } from './body/leds.js';
import type { Shown } from './body/screen.js';
import type { Sound } from './body/speaker.js';
import { stickerAt, type OwnState } from './commands/own-commands.js';
import type { Parts } from './commands/standard-commands.js';
import type { RobotEvents } from './robot-events.js';

export abstract class RobotState extends Body<RobotEvents> {
  protected parts!: Parts;

  get screen(): { readonly card: Shown | null; readonly question: Shown | null; readonly covered: boolean } {
    return this.parts.screen;
  }

  get bubble(): Bubble | null {
    return this.parts.face.bubble;
  }

  get face(): { emotion: Emotion; view: View } {
    const { emotion, view } = this.parts.face;
    return { emotion, view };
  }

  get head(): HeadState {
    const { yaw, pitch, moving } = this.parts.head;
    return { yaw, pitch, moving };
  }

  get leds(): LedState {
    const { pixels, effect } = this.parts.leds;
    return { pixels, effect };
  }

  get volume(): number {
    return this.parts.speaker.volume;
  }

  /** The last 8, with their received samples. */
  get sounds(): readonly Sound[] {
    return this.parts.speaker.sounds;
  }

  get playing(): Sound | null {
    return this.parts.speaker.playing;
  }

  get own(): OwnState {
    return this.parts.own;
  }

  /** Percent; 0: the screen is dark. Unlike `own`, what programs set, it counts what lights the screen. */
  get brightness(): number {
    return this.parts.light.pct;
  }

  protected override isTouchedDark(): boolean {
    return this.parts.light.touched();
  }

  protected spriteAt(x: number, y: number): string | null {
    return this.parts.screen.covered ? null : (stickerAt(this.own.stickers.values(), x, y)?.id ?? null);
  }
}
