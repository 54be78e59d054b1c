import type { CallStep, ToGateway } from '@perch/schema';
import { StoreError } from '@perch/store';
import { noteFailure } from '../metrics/link-metrics.js';
import type { CommandOutcome } from './commands.js';
import type { LinkContext } from './context.js';

type Ack = Extract<ToGateway, { t: 'ack' }>;

const retryDelaysMs: readonly number[] = [100, 300, 1000];

/** A gateway that gets no reply times out. */
export function sendReply(context: LinkContext, gateway: string, message: ToGateway): void {
  context.store.gatewayMailbox.send(gateway, message).catch((error: unknown) => noteFailure(context, 'reply', error));
}

/** Retries while Redis fails: otherwise the caller would wait in vain. A duplicate does no harm, since a gateway never reuses the id of a command. */
export function sendOutcome(context: LinkContext, gateway: string, message: ToGateway): void {
  writeWithRetry(context, () => context.store.gatewayMailbox.send(gateway, message));
}

/** Stored before the gateway gets it, since the gateway may be dead. A duplicate does no harm. */
export function keepReply(context: LinkContext, robot: string, step: CallStep, reply: ToGateway): void {
  writeWithRetry(context, () => context.store.calls.keepReply(robot, step, reply));
}

/** The ack says whether the outcome of the call is stored; then the gateway does not store it. On a single Redis one script does both. */
export function sendEndingAck(context: LinkContext, gateway: string, robot: string, step: CallStep, ack: Ack, receivedAt?: number): void {
  const { calls } = context.store;
  const sent: Ack = receivedAt === undefined ? ack : { ...ack, receivedAt };
  calls.keepReply(robot, step, ack, { gateway, ack: sent }).then(
    (kept) => {
      if (kept !== 'acked') sendOutcome(context, gateway, kept === 'ended' ? { ...sent, ended: true } : sent);
    },
    (error: unknown) => {
      sendOutcome(context, gateway, sent);
      retryLater(context, () => calls.keepReply(robot, step, ack), error);
    },
  );
}

function writeWithRetry(context: LinkContext, write: () => Promise<unknown>, delaysMs = retryDelaysMs): void {
  write().catch((error: unknown) => retryLater(context, write, error, delaysMs));
}

function retryLater(context: LinkContext, write: () => Promise<unknown>, error: unknown, [delayMs, ...later] = retryDelaysMs): void {
  noteFailure(context, 'reply', error);
  if (delayMs !== undefined && error instanceof StoreError) setTimeout(() => writeWithRetry(context, write, later), delayMs);
}

export function replyTo(id: string, outcome: CommandOutcome): ToGateway {
  switch (outcome.kind) {
    case 'ack':
      return { t: 'ack', id, result: outcome.result };
    case 'nack':
      return { t: 'nack', id, code: outcome.code, error: outcome.error };
    case 'replaced':
      return { t: 'replaced', id };
    case 'media_missing':
      return { t: 'media_missing', id, hash: outcome.hash };
    case 'unsent':
      return { t: 'not_here', id };
  }
}
