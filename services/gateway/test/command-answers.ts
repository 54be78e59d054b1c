/** Replies to commands like a robot that executes everything and clamps its pitch. */
import type { ToGateway, ToLink } from '@perch/schema';

export function commandAnswers({ id, command }: Extract<ToLink, { t: 'command' }>): ToGateway {
  if (command.name !== 'head.move') return { t: 'ack', id, result: {} };
  const { yaw = 0, pitch = 45 } = command.args as { yaw?: number; pitch?: number };
  return { t: 'ack', id, result: { yaw, pitch: Math.min(85, Math.max(5, pitch)) } };
}
