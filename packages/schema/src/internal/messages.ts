/**
 * What our own instances say to each other, and the payloads of render jobs.
 * Gateways speak to the robot-link that holds a robot (`ToLink`), robot-links answer (`ToGateway`); the messages of one tick travel as one array.
 * Pictures and sounds never travel in messages: a message names them (`MediaRef`) and the bytes lie in Redis for a minute.
 */
import type { ErrorCode } from '../api/error.js';

/** A finished picture or sound in Redis, addressed by its account and the hash of what it was made from. */
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

/** A picture that goes with a command: its `{stream, format, bytes, crc32}` is merged into the command's args at `path` (`[]` is args itself). */
export interface Attachment {
  path: string[];
  picture: PictureRef;
}

/** One command for a robot, as robot-link.md's table has it, without what only the session can fill in (streams). */
export interface RobotCommand {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  /** For `audio.play`: streamed from Redis under the robot's flow control. */
  sound?: SoundRef;
}

/** A region of the screen that a touch can hit; pixels, 320x240; edges count as inside. */
export type Target =
  | { shape: 'rect'; x: number; y: number; w: number; h: number }
  | { shape: 'circle'; x: number; y: number; r: number }
  | { shape: 'polygon'; points: [number, number][] };

export type WaitKind = 'ask' | 'menu' | 'clickmap';

/** An open ask, menu or clickmap; immutable once opened. Its picture has the id `w<number>` on the robot. */
export interface WaitRecord {
  number: number;
  kind: WaitKind;
  targets: Target[];
  /** The question's picture; for a clickmap its image or null. */
  picture: PictureRef | null;
  /** Counted from the moment the wait is armed. */
  timeoutMs: number;
  /** Instance id of the gateway that holds the call, and the id it knows the call by. */
  gateway: string;
  call: string;
  requestId: string;
  /** How long its outcome can be read from its deadline on, ms; left out: a minute. */
  keptMs?: number;
  /** Of a sampled call: the span that holds the wait, see `TraceField`. */
  trace?: TraceField;
}

/** When and for which input a wait counts. A touch answers only if it began after this. */
export interface Armed {
  bootId: string;
  /** The robot's clock at the picture's ack; without a picture as the robot-link reckons it, or null where it does not know it. */
  ms: number | null;
  /** Highest input number of `bootId` the robot-link had seen when it armed the wait. */
  seq: number;
  /** Redis time, ms. */
  deadline: number;
}

/** How a wait ended; exactly one per wait, kept under its key until deadline + 60 s. */
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

/** Gateway -> robot-link. `session` is the lease the sender believes in; another one is answered `not_here`. */
export type ToLink =
  | {
      t: 'command';
      id: string;
      robot: string;
      session: string;
      /** Instance id of the gateway that waits for the reply. */
      gateway: string;
      /** Redis time in ms after which the command must not be sent any more. */
      expires: number;
      requestId: string;
      command: RobotCommand;
      /** Of a call under an Idempotency-Key: where the robot-link keeps its reply, for whoever goes on when the gateway is dead. */
      step?: CallStep;
      /** Of a sampled call: the span that sent the command. */
      trace?: TraceField;
      /** Redis time in ms at which the call arrived at the gateway. Only in the first command of a call; absent from gateways of 0.9.0. */
      arrivedAt?: number;
    }
  /** `doing`: what the robot does is to be told as well. */
  | { t: 'state'; id: string; robot: string; session: string; gateway: string; expires: number; doing?: true }
  /** `arrivedAt`: Redis time in ms at which the call arrived at the gateway that opened the wait; absent from gateways of 0.9.0. */
  | { t: 'wait'; robot: string; session: string; record: WaitRecord; arrivedAt?: number }
  | { t: 'wait_end'; robot: string; session: string; number: number }
  /** Ends a session: 4001 a newer one took the robot over, 4003 token revoked or robot removed. */
  | { t: 'close'; robot: string; session: string | null; code: 4001 | 4003 };

/**
 * The span that a message, job or record continues, as `<trace id>-<span id>` in hex. Present only where the trace is sampled;
 * 0.9.0 ignores it. A reader ignores what has another form: a trace never makes anything unreadable.
 */
export type TraceField = string;

/** One command of a call under an Idempotency-Key. */
export interface CallStep {
  /** Of the call, among the robot's. */
  call: string;
  /** From 0, in the order in which the call sends its commands. */
  at: number;
}

/** How a call under an Idempotency-Key ended, as it is answered again. */
export type CallOutcome =
  | { answer: Record<string, unknown> }
  | { failure: { code: ErrorCode; error: string; field?: string; results?: Record<string, unknown>[] } };

/** What the robot shows now; ids as in robot-link.md. */
export interface Showing {
  card: string | null;
  question: string | null;
  emotion: string;
  view: string;
}

/** What the robot does beside what it shows, as far as its acks and sensors in this session tell; null is what they do not. */
export interface Doing {
  /** The text in the speech bubble, or null. */
  bubble: string | null;
  /** Degrees, as in robot-link.md; while it moves, where it is going. */
  head: { yaw: number | null; pitch: number | null; moving: boolean };
  /** As the robot was told: corrected for LEDs. */
  leds: {
    pixels: string[] | null;
    effect: { name: string; color: string | null; palette: string[] | null; speed: number } | null;
  };
  sound: boolean;
}

/** Robot-link -> gateway. */
export type ToGateway =
  /** `receivedAt`: Redis time in ms at which a late command reached the robot-link, so that the gateway knows whose time it was. 0.9.0 ignores it. */
  | { t: 'ack'; id: string; result: Record<string, unknown>; receivedAt?: number }
  /** A second sound took the place of this one before it began. */
  | { t: 'replaced'; id: string }
  | { t: 'nack'; id: string; code: ErrorCode; error: string }
  /** The session is not (any more) held here and nothing was sent: the gateway may send it again elsewhere. */
  | { t: 'not_here'; id: string }
  /** The named media is gone from Redis and nothing was sent: make it again and send again. For a wait, `id` is its `call`. */
  | { t: 'media_missing'; id: string; hash: string }
  | { t: 'state'; id: string; readings: Record<string, unknown>; readingsAt: number | null; showing: Showing; doing?: Doing };

/** A picture to draw. `S` is @perch/screen's Scene, which this package cannot import. */
export interface DrawJob<S = unknown> {
  /** Version of the form in the queue, which the store writes; 1 where it is missing. */
  v?: number;
  kind: 'draw';
  account: string;
  hash: string;
  scene: S;
  /** sha256 of uploaded pictures the scene uses; they lie under the account's uploads until drawn. */
  uploads: readonly string[];
  formats: readonly ('jpeg' | 'png')[];
  bytesMax: number;
  /** Of a sampled call: the span that asked for the picture first. */
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
