/** Routes messages of gateways and other robot-links to the session they are for, and answers not_here for sessions that are not on this instance. */
import type { ToLink } from '@perch/schema';
import type { UnreadableMessage } from '@perch/store';
import type { LinkContext } from './context.js';
import { sendReply } from './replies.js';

/** Handles one message of the instance's mailbox. Never throws, so that the following messages are handled too. */
export function route(context: LinkContext, message: ToLink): void {
  try {
    if (message.t === 'close') return context.registry.close(message.robot, message.session, message.code);
    const session = context.registry.find(message.robot, message.session);
    if (session?.onGateway(message) !== true) sendBack(context, message);
  } catch (error) {
    context.log.error({ err: error, t: message.t }, 'message of another instance not handled');
  }
}

/** Tells the gateway that nothing was sent to the robot, so that it may send the message again. A wait_end needs no reply. */
function sendBack(context: LinkContext, message: Exclude<ToLink, { t: 'close' }>): void {
  if (message.t === 'wait') sendReply(context, message.record.gateway, { t: 'not_here', id: message.record.call });
  else if (message.t !== 'wait_end') sendReply(context, message.gateway, { t: 'not_here', id: message.id });
}

/**
 * Answers not_here to a message of another instance that this release cannot read: nothing was sent to the robot, so the gateway may send it again,
 * here or to an instance that can read it. The gateway gives up after 3 s, as with any robot that is not where Redis says.
 * A message whose sender is this robot-link itself is not answered: it could not read the answer either and would answer that one, without end.
 */
export function refuseUnreadable(context: LinkContext, { id, gateway, reason, says }: UnreadableMessage): void {
  context.metrics.instanceMessagesUnreadable.inc({ reason });
  context.log.warn({ reason, says, id }, 'unreadable message of another instance; nothing sent to a robot');
  if (gateway !== '' && gateway !== context.store.instance) sendReply(context, gateway, { t: 'not_here', id });
}
