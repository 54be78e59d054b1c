/** One array per event-loop iteration, and render jobs. They refer to pictures and sounds (`MediaRef`), whose bytes are in Redis for a minute. */
import type { ErrorCode } from '../base/error.js';
import type { ScreenState } from '../link/hello.js';
import type { PictureFormat } from '../values/picture-format.js';
import type { PictureNotes } from '../values/picture-notes.js';

export type MediaRef = PictureRef | SoundRef;

export interface PictureRef {
  kind: 'picture';
  account: string;
  /** sha256 hex, see `renderHash`. */
  hash: string;
  format: 'jpeg' | 'png';
  bytes: number;
  /** IEEE, unsigned. */
  crc32: number;
  w: number;
  h: number;
  /** Absent: it is unknown what was cut. Every renderer writes it. */
  notes?: PictureNotes;
  /**
   * If the text takes several pages: their number, and how long the page of this picture is shown, ms. `exact`: of a text with signs, whose lines end
   * elsewhere than those that a renderer of 0.10 draws.
   */
  page?: { count: number; ms: number; exact?: true };
}

export interface SoundRef {
  kind: 'sound';
  account: string;
  hash: string;
  format: 'pcm_s16le';
  /** Samples a second, mono. */
  rate: number;
  /** For a growing sound, the largest size it can reach. */
  bytes: number;
  /** The sound is still being made; `hash` names its bytes so far. Sent only to robots with `open_sound`. */
  growing?: true;
}

/** Its `{stream, format, bytes, crc32}` is merged into the command's args at `path` (`[]` is args itself). */
export interface Attachment {
  path: string[];
  picture: PictureRef;
}

/** The picture that replaces the one before it on its layer, `afterMs` after that was shown. */
export interface CardPage {
  id: string;
  picture: PictureRef;
  afterMs: number;
}

/** Without stream numbers, which the session adds. */
export interface RobotCommand {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  /** For `audio.play`: streamed from Redis under the robot's flow control. */
  sound?: SoundRef;
  /** For `screen.show` on the card layer: the pages that follow, the first one last, shown again and again. */
  pages?: CardPage[];
  /** For `screen.show` on the card layer: how the robot-link that holds the robot has the following seconds drawn. */
  countdown?: CardCountdown;
}

export interface CardCountdown {
  /** When it reaches 0, ms (Redis time). */
  end: number;
  /** Drawn for each second by `countdownFrame` of the package screen. */
  scene: object;
  formats: readonly PictureFormat[];
  bytesMax: number;
  /** As in DrawJob. */
  palette?: true;
}

/** In pixels (320x240). Edges count as inside, but for the right and the bottom one of a rectangle. */
export type Target =
  | { shape: 'rect'; x: number; y: number; w: number; h: number }
  | { shape: 'circle'; x: number; y: number; r: number }
  | { shape: 'polygon'; points: [number, number][] };

export type WaitKind = 'ask' | 'menu' | 'clickmap';

/** Immutable once opened. Its picture has the id `w<number>` on the robot, its pages `w<number>p2` and so on. */
export interface WaitRecord {
  number: number;
  kind: WaitKind;
  targets: Target[];
  picture: PictureRef | null;
  /** Pages of a question that follow `picture`, which is the last of them; they turn in a circle. */
  pages?: CardPage[];
  /**
   * Pages of an approval, in their order, as they show once with grey answers: all of a question that must be read whole, else the first one. The last of
   * them then shows with answers that count, and `pages` after it. With ids `w<number>g1` and so on, which a robot-link of 0.10 does not know: it shows
   * `picture` and `pages`. Others show these under the ids `w<number>r1` and so on, which say that the answers count.
   */
  greyPages?: CardPage[];
  /** Counted from the moment the wait is armed. */
  timeoutMs: number;
  /** The gateway with the open call, and its id of the call. */
  gateway: string;
  call: string;
  requestId: string;
  /** Time after the deadline for which the outcome is kept, ms. Default: a minute. */
  keptMs?: number;
  /** Parent span of a sampled call's wait. */
  trace?: TraceField;
  /** Absent in records of 0.10.x. */
  consent?: WaitConsent;
  /** Words in the picture of a question, for people who do not see it. Absent in records of 0.10.x. */
  says?: string;
  /** Names of the targets, in their order, for those people. Absent in records of 0.10.x, and without names. */
  names?: readonly string[];
}

/** The facts of the call that decide from when on a touch counts. */
export interface WaitConsent {
  /** Names the key that asks, to tell it from others; not a secret. */
  by?: string;
  /** The answer allows something that the person must have read. */
  approval?: true;
  /** The target that needs no more time than that of any question. */
  deny?: number;
}

/** A touch answers only if it began after this moment, and late enough (`Consent` of the robot-link). */
export interface Armed {
  bootId: string;
  /** The robot's clock at the picture's ack; without a picture, the robot-link's estimate, or null if unknown. */
  ms: number | null;
  /** Highest input of `bootId` that the robot-link had seen. */
  seq: number;
  /** Redis time, ms. */
  deadline: number;
  /** How long its picture is on the screen before a touch counts, if longer than usual: another question may have been meant. */
  countsAfterMs?: number;
}

/** For a question on pages: failures stopped them before each had shown. */
interface PagesSeen {
  pagesUnseen?: true;
}

/** The outcome of a wait: exactly one per wait, kept under its key until deadline + 60 s. */
export type WaitOutcome =
  | ({ outcome: 'answered'; index: number; x: number; y: number } & PagesSeen)
  | ({ outcome: 'timed_out' } & PagesSeen)
  | { outcome: 'replaced' }
  | { outcome: 'cancelled' }
  | { outcome: 'failed'; code: ErrorCode; error: string };

/** The answer of a tap on a target: the label of an answer, id and label of an item, the id of a region. */
export interface WaitChoice {
  id?: string;
  label?: string;
}

/** Kept beside the record of a wait that outlives its call, so that its outcome can be read without the call. */
export interface DetachedWait {
  /** All of this account read a wait without an owner, which 0.10.x made. Else '', so that 0.10.x, which knows no owner, reads it to nobody. */
  account: string;
  /** Who asked: the id of an API key or of an OAuth client's grant, or of the account that asked on the page. Only it and the robot's account read it. */
  owner?: string;
  /** Last part of the wait's id. Absent: the id has none. */
  random?: string;
  choices: readonly WaitChoice[];
  /** The number under which a question of the queue is known. */
  queuedAs?: number;
  /** A call waits for it: its end is no event. */
  held?: true;
}

export interface WaitState {
  record: WaitRecord;
  armed: Armed | null;
  outcome: WaitOutcome | null;
}

/** `session` is the lease the sender knows; if it is not the current one, the reply is `not_here`. */
export type ToLink =
  | {
      t: 'command';
      id: string;
      robot: string;
      session: string;
      /** Waits for the reply. */
      gateway: string;
      /** Redis ms after which the command must no longer be sent. */
      expires: number;
      requestId: string;
      command: RobotCommand;
      /** For a call with an Idempotency-Key: where its reply is stored, so that another gateway can continue the call if this one dies. */
      step?: CallStep;
      trace?: TraceField;
      /** Redis ms of the call's arrival at the gateway. Only in the first command of a call. */
      arrivedAt?: number;
    }
  /** `doing`: the reply includes the observed state. `settings`: the robot's settings have changed; the robot-link reads them before it replies. */
  | { t: 'state'; id: string; robot: string; session: string; gateway: string; expires: number; doing?: true; settings?: true }
  /** `arrivedAt`: Redis ms of the call's arrival at the gateway; absent from a wait that is sent again. */
  | { t: 'wait'; robot: string; session: string; record: WaitRecord; arrivedAt?: number }
  | { t: 'wait_end'; robot: string; session: string; number: number }
  /** Closes a session. 4001: a newer one took over the robot; 4003: token revoked or robot removed. */
  | { t: 'close'; robot: string; session: string | null; code: 4001 | 4003 };

/** Parent span, `<trace id>-<span id>` in hex, if sampled. Readers ignore a malformed value: a trace never makes a message unreadable. */
export type TraceField = string;

export interface CallStep {
  /** Unique for the robot. */
  call: string;
  /** From 0, within the call. */
  at: number;
  /**
   * In the only command of a call: the numbers of its ack's result that the answer has beside `ok`. The robot-link stores the answer
   * with the ack as the outcome of the call, unless it is long: then the gateway stores it.
   */
  answer?: readonly string[];
}

/** The outcome of a call with an Idempotency-Key, for replays. */
export type CallOutcome =
  | { answer: Record<string, unknown> }
  | { failure: { code: ErrorCode; error: string; field?: string; results?: Record<string, unknown>[] } };

/** Beyond the screen, as known from acks and sensors in this session. Null: unknown. */
export interface ObservedState {
  bubble: string | null;
  /** Degrees, as in robot-link.md; the target while the head is moving. */
  head: { yaw: number | null; pitch: number | null; moving: boolean };
  /** As sent to the robot: corrected for LEDs. */
  leds: {
    pixels: string[] | null;
    effect: { name: string; color: string | null; palette: string[] | null; speed: number } | null;
  };
  sound: boolean;
}

export type ToGateway =
  /**
   * `receivedAt`: Redis ms at which a late command reached the robot-link, so that the delay can be attributed. `ended`: the
   * robot-link has stored the outcome of the call (`CallStep.answer`).
   */
  | { t: 'ack'; id: string; result: Record<string, unknown>; receivedAt?: number; ended?: true }
  /** A second sound replaced this one before it began. */
  | { t: 'replaced'; id: string }
  | { t: 'nack'; id: string; code: ErrorCode; error: string }
  /** Nothing was sent: the gateway may resend the command elsewhere. */
  | { t: 'not_here'; id: string }
  /** Nothing was sent: the gateway renders the media again and resends. For a wait, `id` is its `call`. */
  | { t: 'media_missing'; id: string; hash: string }
  | { t: 'state'; id: string; readings: Record<string, unknown>; readingsAt: number | null; showing: ScreenState; doing?: ObservedState };

/** `S` is @perch/screen's Scene, which this package cannot import. */
export interface DrawJob<S = unknown> {
  /** Version of the job format, set by the store. Default: 1. */
  v?: number;
  kind: 'draw';
  account: string;
  hash: string;
  scene: S;
  /** sha256 of each; kept under the account's uploads until drawn. */
  uploads: readonly string[];
  formats: readonly PictureFormat[];
  bytesMax: number;
  /** Set if the robot reads PNGs with a palette. */
  palette?: true;
  /** How long the picture is kept, ms. Default: 90 s. */
  keepMs?: number;
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

export interface SpeechJob {
  v?: number;
  kind: 'speech';
  account: string;
  hash: string;
  text: string;
  voice?: string;
  lang?: string;
  rate: number;
  trace?: TraceField;
}

export type RenderJob<S = unknown> = DrawJob<S> | SoundJob | SpeechJob;
