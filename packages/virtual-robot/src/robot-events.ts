import type { Bubble, Emotion, View } from './body/face.js';
import type { HeadGesture, HeadState } from './body/head.js';
import type { LedState } from './body/leds.js';
import type { Cleared, Layer, Shown } from './body/screen.js';
import type { PlayEnd, Sound } from './body/speaker.js';
import type { ReceivedCommand } from './commands/command-queue.js';
import type { Closed } from './connection/link-host.js';
import type { Ack, Input, Welcome } from './connection/messages.js';

export interface RobotEvents {
  picture: Shown & { layer: Layer };
  clear: Cleared;
  leds: LedState;
  face: { emotion: Emotion; view: View };
  head: HeadState & { gesture: HeadGesture | null };
  /** Null when the bubble disappears. */
  bubble: Bubble | null;
  sound: Sound;
  /** Before its first sample or while it plays. */
  samples: Sound;
  playDone: { stream: number; id: string; reason: PlayEnd };
  /** Not emitted for repeats. */
  command: ReceivedCommand;
  settled: ReceivedCommand;
  ack: Ack;
  input: Input;
  session: Welcome;
  closed: Closed;
  violation: string;
  change: void;
}

export type EmitEvent = <N extends Exclude<keyof RobotEvents, 'change'>>(name: N, event: RobotEvents[N]) => void;
