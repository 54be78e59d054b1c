/** What gateways are answered. */
import type { ToGateway } from '@perch/schema';
import type { CommandOutcome } from './command-queue.js';
import { noteFailure, type LinkContext } from './context.js';

/** Sends without waiting: a gateway that hears nothing has a time-out of its own. */
export function tell(context: LinkContext, gateway: string, message: ToGateway): void {
  context.store.gateways.send(gateway, message).catch((error: unknown) => noteFailure(context, 'reply', error));
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
