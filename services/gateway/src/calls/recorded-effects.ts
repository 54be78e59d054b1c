import type { CallStep, ToGateway, ToLink } from '@perch/schema';

/** The robot-link's reply to a command that was sent. `late`: no reply before the deadline. */
export type CommandReply = ToGateway | { t: 'late' };

/** The effects of a call with an Idempotency-Key, each done once even if another gateway takes the call over. */
export interface RecordedEffects {
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
  part(index: number): RecordedEffects;
}
