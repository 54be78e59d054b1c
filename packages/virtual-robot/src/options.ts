/** What a virtual robot can be told at its making; everything but where and who has a default. */

import type { Clock } from './clock.js';
import type { FaultSettings } from './connection/faults.js';
import type { ReconnectPace } from './connection/backoff.js';
import type { AudioShape, Boot, ScreenShape } from './connection/messages.js';
import { defaultCommands, type OwnCommand } from './commands/own-commands.js';
import type { OpenSocket } from './connection/socket.js';

export interface RobotOptions {
  /** `ws(s)://HOST/robot/v1/link` */
  url: string;
  /** Robot token, `rt_...` */
  token: string;
  model?: string;
  firmware?: string;
  serial?: string;
  /** Why it starts, as its hello tells it. */
  boot?: Boot;
  /** What it says it can do; commands of other features are refused and count as violations. */
  features?: readonly string[];
  /** Its own commands; to add some: `[...defaultCommands, mine]`. */
  commands?: readonly OwnCommand[];
  audio?: Partial<AudioShape>;
  screen?: Partial<ScreenShape>;
  faults?: Partial<FaultSettings>;
  clock?: Clock;
  /** Scales the waits between dials; default 1 s and 60 s. */
  reconnect?: Partial<ReconnectPace>;
  /** So long without a word is a lost connection; default 45 s. */
  silenceMs?: number;
  /** false: sends no readings. */
  sensors?: boolean;
  /** Every gesture takes no real time unless it says otherwise; the robot's clock is put forward instead. */
  instant?: boolean;
  random?: () => number;
  /** Each message in (`<`) and out (`>`), each dial and close. Never the token. */
  log?: (line: string) => void;
}

export type CoreOptions = RobotOptions & { open: OpenSocket };

export const allFeatures = ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker', 'move_duration'] as const;

export const defaults = {
  model: 'stackchan-k151',
  firmware: '1.0.0',
  features: allFeatures as readonly string[],
  commands: defaultCommands,
  screen: { w: 320, h: 240, formats: ['png', 'jpeg'], max_bytes: 98_304 },
  audio: { formats: ['pcm_s16le'], rates: [16_000, 24_000], buffer_bytes: 98_304, max_part_bytes: 4096 },
  leds: { count: 12 },
  reconnect: { minMs: 1_000, maxMs: 60_000 },
  silenceMs: 45_000,
};
