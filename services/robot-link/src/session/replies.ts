/** What gateways are answered. */
import type { CallStep, ToGateway } from '@perch/schema';
import { StoreError } from '@perch/store';
import type { CommandOutcome } from '../commands/command-queue.js';
import { noteFailure, type LinkContext } from './context.js';

/** Pauses before the outcome of a command is told again. */
const outcomeAgainMs: readonly number[] = [100, 300, 1000];

/** Sends without waiting: a gateway that hears nothing has a time-out of its own. */
export function tell(context: LinkContext, gateway: string, message: ToGateway): void {
  context.store.gateways.send(gateway, message).catch((error: unknown) => noteFailure(context, 'reply', error));
}

/**
 * How a command ended, told again where Redis did not take it: else its caller waits in vain for what was done long ago.
 * Told twice it does no harm, since a gateway never gives the id of a command to another.
 */
export function tellOutcome(context: LinkContext, gateway: string, message: ToGateway): void {
  untilTaken(context, () => context.store.gateways.send(gateway, message));
}

/** Keeps what a robot replied to a call under an Idempotency-Key, before its gateway is told: that one may be dead. Kept twice it does no harm. */
export function keepReply(context: LinkContext, robot: string, step: CallStep, reply: ToGateway): void {
  untilTaken(context, () => context.store.calls.keepReply(robot, step, reply));
}

function untilTaken(context: LinkContext, tellRedis: () => Promise<unknown>, [againMs, ...later] = outcomeAgainMs): void {
  tellRedis().catch((error: unknown) => {
    noteFailure(context, 'reply', error);
    if (againMs !== undefined && error instanceof StoreError) setTimeout(() => untilTaken(context, tellRedis, later), againMs);
  });
}

/** @param id by which the gateway knows its command */
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
