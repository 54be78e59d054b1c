/** Routes messages of gateways and other robot-links to the session they are for, and answers not_here for sessions that are not on this instance. */
import type { ToLink } from '@perch/schema';
import type { UnreadableMessage } from '@perch/store';
import type { ConnectionContext } from '../connection/connection-context.js';
import type { LinkContext } from './context.js';
import { sendReply } from './replies.js';

/** Never throws, so that the following messages are handled too. */
export function route(context: ConnectionContext, message: ToLink): void {
  try {
    if (message.t === 'close') return context.registry.close(message.robot, message.session, message.code);
    const session = context.registry.find(message.robot, message.session);
    if (session?.gatewayMessages.receive(message) !== true) sendBack(context, message);
  } catch (error) {
    context.log.error({ err: error, t: message.t }, 'message of another instance not handled');
  }
}

/** Nothing was sent to the robot, so the gateway may send the message again. A wait_end needs no reply. */
function sendBack(context: LinkContext, message: Exclude<ToLink, { t: 'close' }>): void {
  if (message.t === 'wait') sendReply(context, message.record.gateway, { t: 'not_here', id: message.record.call });
  else if (message.t !== 'wait_end') sendReply(context, message.gateway, { t: 'not_here', id: message.id });
}

/** Answers not_here: another instance may be able to read it. Not to itself: it could not read the answer either, without end. */
export function refuseUnreadable(context: LinkContext, { id, gateway, reason, claimedType }: UnreadableMessage): void {
  context.metrics.instanceMessagesUnreadable.inc({ reason });
  context.log.warn({ reason, type: claimedType, id }, 'unreadable message of another instance; nothing sent to a robot');
  if (gateway !== '' && gateway !== context.store.instance) sendReply(context, gateway, { t: 'not_here', id });
}
