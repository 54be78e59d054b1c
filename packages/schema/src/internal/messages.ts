/**
 * Messages between instances of the service, and the payloads of render jobs.
 * Gateways send to the robot-link that holds a robot (`ToLink`), robot-links reply (`ToGateway`). Messages of one event-loop iteration are sent as one array.
 * Messages never contain pictures and sounds: they refer to them (`MediaRef`), and the bytes are in Redis for a minute.
 */
import type { ErrorCode } from '../api/error.js';

/** A rendered picture or sound in Redis, addressed by its account and the hash of its render job. */
export type MediaRef = PictureRef | SoundRef;

export interface PictureRef {
  kind: 'picture';
  account: string;
  /** sha256 hex of the render job, see `renderHash`. */
  hash: string;
  format: 'jpeg' | 'png';
  bytes: number;
  /** IEEE, unsigned. */
  crc32: number;
  w: number;
  h: number;
}

export interface SoundRef {
  kind: 'sound';
  account: string;
  hash: string;
  format: 'pcm_s16le';
  /** Samples a second, mono. */
  rate: number;
  bytes: number;
}

/** A picture of a command: its `{stream, format, bytes, crc32}` is merged into the command's args at `path` (`[]` is args itself). */
export interface Attachment {
  path: string[];
  picture: PictureRef;
}

/** One command for a robot (table of robot-link.md), without stream numbers, which the session adds. */
export interface RobotCommand {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  /** Only for `audio.play`: streamed from Redis under the robot's flow control. */
  sound?: SoundRef;
}

/** A tappable region of the screen, in pixels (320x240). Edges count as inside. */
export type Target =
  | { shape: 'rect'; x: number; y: number; w: number; h: number }
  | { shape: 'circle'; x: number; y: number; r: number }
  | { shape: 'polygon'; points: [number, number][] };

export type WaitKind = 'ask' | 'menu' | 'clickmap';

/** A pending ask, menu or clickmap; immutable once opened. Its picture has the id `w<number>` on the robot. */
export interface WaitRecord {
  number: number;
  kind: WaitKind;
  targets: Target[];
  /** The question's picture; for a clickmap its image or null. */
  picture: PictureRef | null;
  /** Counted from the moment the wait is armed. */
  timeoutMs: number;
  /** Instance id of the gateway with the open call, and that gateway's id of the call. */
  gateway: string;
  call: string;
  requestId: string;
  /** How long the outcome is kept after the deadline, ms. Default: a minute. */
  keptMs?: number;
  /** Parent span of a sampled call's wait, see `TraceField`. */
  trace?: TraceField;
}

/** The moment from which a wait accepts input. A touch answers it only if the touch began later. */
export interface Armed {
  bootId: string;
  /** The robot's clock at the picture's ack; without a picture, the robot-link's estimate, or null if unknown. */
  ms: number | null;
  /** Highest input number of `bootId` the robot-link had seen when it armed the wait. */
  seq: number;
  /** Redis time, ms. */
  deadline: number;
}

/** The outcome of a wait: exactly one per wait, kept under its key until deadline + 60 s. */
export type WaitOutcome =
  | { outcome: 'answered'; index: number; x: number; y: number }
  | { outcome: 'timed_out' }
  | { outcome: 'replaced' }
  | { outcome: 'cancelled' }
  | { outcome: 'failed'; code: ErrorCode; error: string };

export interface WaitState {
  record: WaitRecord;
  armed: Armed | null;
  outcome: WaitOutcome | null;
}

/** Gateway -> robot-link. `session` is the lease the sender knows; if it is not the current one, the reply is `not_here`. */
export type ToLink =
  | {
      t: 'command';
      id: string;
      robot: string;
      session: string;
      /** Instance id of the gateway that waits for the reply. */
      gateway: string;
      /** Redis time in ms after which the command must no longer be sent. */
      expires: number;
      requestId: string;
      command: RobotCommand;
      /** Only for a call with an Idempotency-Key: where the robot-link stores its reply, so that another gateway can continue the call if this one dies. */
      step?: CallStep;
      /** Span that sent the command, for a sampled call. */
      trace?: TraceField;
      /** Redis time in ms at which the call arrived at the gateway. Only in the first command of a call; absent from gateways of 0.9.0. */
      arrivedAt?: number;
    }
  /** `doing`: the reply includes the observed state. */
  | { t: 'state'; id: string; robot: string; session: string; gateway: string; expires: number; doing?: true }
  /** `arrivedAt`: Redis time in ms at which the call arrived at the gateway that opened the wait; absent from gateways of 0.9.0. */
  | { t: 'wait'; robot: string; session: string; record: WaitRecord; arrivedAt?: number }
  | { t: 'wait_end'; robot: string; session: string; number: number }
  /** Closes a session. 4001: a newer one took over the robot; 4003: token revoked or robot removed. */
  | { t: 'close'; robot: string; session: string | null; code: 4001 | 4003 };

/**
 * The parent span of a message, job or record, as `<trace id>-<span id>` in hex. Present only if the trace is sampled.
 * 0.9.0 ignores it. Readers ignore a malformed value: a trace never makes a message unreadable.
 */
export type TraceField = string;

/** One command of a call with an Idempotency-Key. */
export interface CallStep {
  /** Id of the call, unique for the robot. */
  call: string;
  /** Index of the command within the call, from 0. */
  at: number;
}

/** The outcome of a call with an Idempotency-Key, for replays. */
export type CallOutcome =
  | { answer: Record<string, unknown> }
  | { failure: { code: ErrorCode; error: string; field?: string; results?: Record<string, unknown>[] } };

/** The current content of the robot's screen; ids as in robot-link.md. */
export interface Showing {
  card: string | null;
  question: string | null;
  emotion: string;
  view: string;
}

/** The robot's state beyond its screen, as known from acks and sensors in this session. Null: unknown. */
export interface Doing {
  bubble: string | null;
  /** Degrees, as in robot-link.md; the target while the head is moving. */
  head: { yaw: number | null; pitch: number | null; moving: boolean };
  /** Colours as sent to the robot: corrected for LEDs. */
  leds: {
    pixels: string[] | null;
    effect: { name: string; color: string | null; palette: string[] | null; speed: number } | null;
  };
  sound: boolean;
}

/** Robot-link -> gateway. */
export type ToGateway =
  /** `receivedAt`: Redis time in ms at which a late command reached the robot-link, so that the gateway can attribute the delay. 0.9.0 ignores it. */
  | { t: 'ack'; id: string; result: Record<string, unknown>; receivedAt?: number }
  /** A second sound replaced this one before it began. */
  | { t: 'replaced'; id: string }
  | { t: 'nack'; id: string; code: ErrorCode; error: string }
  /** The session is not (or no longer) held here, and nothing was sent: the gateway may resend the command elsewhere. */
  | { t: 'not_here'; id: string }
  /** The media expired in Redis, and nothing was sent: the gateway renders it again and resends. For a wait, `id` is its `call`. */
  | { t: 'media_missing'; id: string; hash: string }
  | { t: 'state'; id: string; readings: Record<string, unknown>; readingsAt: number | null; showing: Showing; doing?: Doing };

/** A picture to draw. `S` is @perch/screen's Scene, which this package cannot import. */
export interface DrawJob<S = unknown> {
  /** Version of the job format in the queue, set by the store. Default: 1. */
  v?: number;
  kind: 'draw';
  account: string;
  hash: string;
  scene: S;
  /** sha256 of the uploaded pictures in the scene; they are kept under the account's uploads until drawn. */
  uploads: readonly string[];
  formats: readonly ('jpeg' | 'png')[];
  bytesMax: number;
  /** Span of the first sampled call that requested the picture. */
  trace?: TraceField;
}

export interface SoundJob {
  v?: number;
  kind: 'sound';
  account: string;
  hash: string;
  spec: { chime: string } | { notes: string; bell: boolean };
  rate: number;
  trace?: TraceField;
}

export type RenderJob<S = unknown> = DrawJob<S> | SoundJob;
