import type { Clock } from './clock.js';
import type { FaultSettings } from './connection/faults.js';
import type { ReconnectPace } from './connection/backoff.js';
import type { AudioShape, Boot, ScreenShape } from './connection/messages.js';
import { defaultCommands, type OwnCommand } from './commands/own-commands.js';
import type { OpenSocket } from './connection/socket.js';

export interface RobotOptions {
  /** `ws(s)://HOST/robot/v1/link` */
  url: string;
  token: string;
  model?: string;
  firmware?: string;
  serial?: string;
  boot?: Boot;
  /** Commands for other features are rejected and count as violations. */
  features?: readonly string[];
  /** To add to the defaults: `[...defaultCommands, mine]`. */
  commands?: readonly OwnCommand[];
  audio?: Partial<AudioShape>;
  screen?: Partial<ScreenShape>;
  faults?: Partial<FaultSettings>;
  clock?: Clock;
  /** Waits between dials. Default: from 1 s to 60 s. */
  reconnect?: Partial<ReconnectPace>;
  /** Time without received data after which the connection counts as lost. Default: 45 s. */
  silenceMs?: number;
  /** Default: true. */
  sensors?: boolean;
  /** Whether gestures take no real time by default; the robot's clock is advanced instead. */
  instant?: boolean;
  random?: () => number;
  /** Never the token. */
  log?: (line: string) => void;
}

export type CoreOptions = RobotOptions & { open: OpenSocket };

export const allFeatures = [
  'screen',
  'touch',
  'face',
  'bubble',
  'head',
  'leds',
  'speaker',
  'move_duration',
  'open_sound',
  'lights_questions',
] as const;

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
