import type { Span } from '@perch/runtime';
import type { KeyScope, WaitOutcome, ScreenAction, CallStep, ToGateway, ToLink } from '@perch/schema';
import type { GuestPass, ActivityVia } from '@perch/store';
import type { KeyCheck } from './key-validity.js';
import type { ServiceTime } from './service-time.js';

/** For a question of a tool call: when it outlives the call, whose client may give up. */
export interface Pending {
  /** Redis ms from which on it does. */
  readonly at: number;
  /** Aborts when the client gave up by itself, because a time limit ended: then it does at once. */
  readonly givenUp?: AbortSignal | undefined;
  /** Called with the id of its wait, by which it can be read from then on. */
  readonly opened?: ((wait: string) => void) | undefined;
}

interface CallParts {
  readonly exchange: Pick<Call, 'requestId' | 'signal' | 'span' | 'time'> & CallNotes;
  readonly key: Pick<Call, 'account' | 'keyHash' | 'scopes'> & { guest?: GuestPass };
  readonly robot: string;
  readonly keyCheck: KeyCheck;
  readonly arrivedAt: number;
  /** Aborts when the call is cancelled other than by a closed connection. Null: only a closed connection cancels it. */
  readonly cancelled: { readonly signal: AbortSignal } | null;
  readonly effects: EffectLog | null;
  /** The call prepares an action that another one performs: what it asks and shows is not noted. */
  readonly prepares?: true;
  readonly pending?: Pending | undefined;
}

/** What an action knows of its call: data. A class rather than an object with a getter: creating the object took longer than admitting the call. */
export class Call {
  readonly requestId: string;
  readonly account: string;
  readonly keyHash: string;
  readonly scopes: readonly KeyScope[];
  /** The key has the scope `approve`: everything that it asks counts as an approval. */
  readonly asksApprovals: boolean;
  /** Null: the robot is the caller's own. */
  readonly guest: GuestPass | null;
  readonly robot: string;
  /** Redis time at which the call had arrived completely, ms. Every deadline counts from here. */
  readonly arrivedAt: number;
  /** Null: the call has no Idempotency-Key. */
  readonly effects: EffectLog | null;
  readonly span: Span | null;
  readonly time: ServiceTime;
  readonly keyCheck: KeyCheck;
  /** For the activity; null: the call prepares an action that another one performs. */
  readonly notes: CallNotes | null;
  /** Null: only a question sent with `detach` outlives the call. */
  readonly pending: Pending | null;
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    const { exchange, key } = parts;
    this.requestId = exchange.requestId;
    this.account = key.account;
    this.keyHash = key.keyHash;
    this.scopes = key.scopes;
    this.asksApprovals = key.scopes.includes('approve');
    this.guest = key.guest ?? null;
    this.robot = parts.robot;
    this.keyCheck = parts.keyCheck;
    this.notes = parts.prepares === true ? null : exchange;
    this.pending = parts.pending ?? null;
    this.arrivedAt = parts.arrivedAt;
    this.effects = parts.effects;
    this.span = exchange.span;
    this.time = exchange.time;
    this.#parts = parts;
  }

  /** Aborts when the call is cancelled. Created on first use, because most actions end without it. */
  get signal(): AbortSignal {
    return (this.#parts.cancelled ?? this.#parts.exchange).signal;
  }

  restarted(arrivedAt: number): Call {
    return this.#from(arrivedAt, this.effects);
  }

  /** Returns the call as one of several parts that run at the same time: its commands are numbered apart from theirs. */
  part(index: number, arrivedAt: number): Call {
    return this.#from(arrivedAt, this.effects?.part(index) ?? null);
  }

  #from(arrivedAt: number, effects: EffectLog | null): Call {
    return new Call({ ...this.#parts, arrivedAt, effects });
  }

  /** Returns the call for a preparation, which neither replays nor records commands, and notes nothing for the activity. */
  preparing(arrivedAt: number): Call {
    return new Call({ ...this.#parts, arrivedAt, effects: null, prepares: true });
  }
}

/** What the activity keeps of a call. Collected at its exchange, as the call ends. */
export interface CallNotes {
  readonly via: ActivityVia;
  question: QuestionOutcome | null;
  screens: readonly ScreenNote[];
}

export function noteQuestion({ notes }: { notes: CallNotes | null }, outcome: QuestionOutcome): void {
  if (notes !== null) notes.question = outcome;
}

export function noteScreen({ notes }: { notes: CallNotes | null }, screen: ScreenNote): void {
  if (notes !== null) notes.screens = [...notes.screens, screen];
}

export interface QuestionOutcome {
  readonly outcome: Exclude<WaitOutcome['outcome'], 'failed' | 'cancelled'>;
  readonly question: string | null;
  readonly answer: string | null;
  readonly at: { readonly x: number; readonly y: number } | null;
  /** From the question on the screen to the tap; null: no tap. */
  readonly tapMs: number | null;
}

/** A card or question that a call put on the screen of its robot. */
export interface ScreenNote {
  /** Redis ms. */
  readonly at: number;
  readonly action: ScreenAction;
  /** As validated; not changed afterwards. */
  readonly args: object;
}

/** The robot-link's reply to a command that was sent. `late`: no reply before the deadline. */
export type CommandReply = ToGateway | { t: 'late' };

/** The effects of a call with an Idempotency-Key, each done once even if another gateway takes the call over. */
export interface EffectLog {
  /** Names the call and its claim on the record: a wait opens only for the gateway that holds the claim. */
  readonly name: string;
  readonly claim: string;
  /** Aborts when no client has asked for the answer for a while, or another gateway took the call over; not when a client disconnects. */
  readonly signal: AbortSignal;
  /** Sends the next command of the call, or returns the recorded reply if a gateway that died may have sent it. */
  command(send: (step: CallStep) => Promise<CommandReply>): Promise<CommandReply>;
  /** Publishes a command, as `Mailbox.send`. The first one begins a call that has not begun. */
  publish(link: string, message: ToLink): Promise<number | null>;
  /** Returns the number of the wait that a gateway which died opened for the call; null: the call opens its wait itself. */
  openedWait(): Promise<number | null>;
  /** Records that a wait is about to be opened or looked up: from now on its outcome may be lost. */
  waitBegins(): void;
  waitEnded(): void;
  markActed(): void;
  /** Returns the effects of one of several parts that run at the same time, whose commands are numbered apart. */
  part(index: number): EffectLog;
}
