/** What gateways and other robot-links send to this instance, to the session it is for; what is for a session that is not here is sent back. */
import type { ToLink } from '@perch/schema';
import type { UnreadableMessage } from '@perch/store';
import type { LinkContext } from './context.js';
import { tell } from './replies.js';

/** Takes one message of the instance's inbox. Nothing it says can throw: the next message is another robot's. */
export function route(context: LinkContext, message: ToLink): void {
  try {
    if (message.t === 'close') return context.roster.close(message.robot, message.session, message.code);
    const session = context.roster.find(message.robot, message.session);
    if (session?.onGateway(message) !== true) sendBack(context, message);
  } catch (error) {
    context.log.error({ err: error, t: message.t }, 'a message could not be handled');
  }
}

/** It was never sent on, so it may be sent again. Who ends a wait needs no answer. */
function sendBack(context: LinkContext, message: Exclude<ToLink, { t: 'close' }>): void {
  if (message.t === 'wait') tell(context, message.record.gateway, { t: 'not_here', id: message.record.call });
  else if (message.t !== 'wait_end') tell(context, message.gateway, { t: 'not_here', id: message.id });
}

/**
 * Answers a message of another instance that this release cannot read: nothing of it was sent on, so its gateway may send it again, to this
 * instance or to one that can read it. It gives up after 3 s, as with any robot that is not where Redis says.
 * An id that names this robot-link itself is not answered: it could not read the answer either, and would answer that, without end.
 */
export function refuseUnreadable(context: LinkContext, { id, gateway, reason, says }: UnreadableMessage): void {
  context.metrics.instanceMessagesUnreadable.inc({ reason });
  context.log.warn({ reason, says, id }, 'a message of another instance cannot be read; it is not sent to a robot');
  if (gateway !== '' && gateway !== context.store.instance) tell(context, gateway, { t: 'not_here', id });
}
