/** Counts the Redis commands of a gateway, and how many round trips it awaits one after the other. */
import type { GatewayUnderTest } from './gateway-under-test.js';

interface Command {
  name: string;
  args: readonly unknown[];
  promise: Promise<unknown>;
}

export interface SentCommand {
  name: string;
  args: readonly string[];
  /** Number of round trips that were complete, one after the other, when it was sent. */
  after: number;
}

/** Sent by the instance itself, not by a call. */
const background = /^(?:time|ping|info|zadd|zremrangebyscore|pexpire|set|client)$/;

/**
 * Returns the commands that the gateway sent for a robot while `work` ran, in order. A command counts as sent after a round trip if the reply had arrived
 * when it was sent, so commands that leave together are one round trip.
 */
export async function roundTripsOf(system: GatewayUnderTest, robot: string, work: () => Promise<unknown>): Promise<SentCommand[]> {
  const { commands } = system.store.connections;
  const prototype = Object.getPrototypeOf(commands) as { sendCommand: (command: Command, ...more: unknown[]) => unknown };
  const { sendCommand } = prototype;
  const sent: SentCommand[] = [];
  let complete = 0;
  prototype.sendCommand = function (this: unknown, command, ...more) {
    const args = command.args.map((arg) => (Buffer.isBuffer(arg) ? '' : String(arg)));
    const isSubscription = command.name.endsWith('subscribe') && args.some((arg) => arg.includes(robot));
    if (isSubscription || (this === commands && !background.test(command.name))) {
      const after = complete;
      sent.push({ name: command.name, args, after });
      command.promise.then(
        () => (complete = Math.max(complete, after + 1)),
        () => {},
      );
    }
    return sendCommand.call(this, command, ...more);
  };
  try {
    await work();
    return sent;
  } finally {
    prototype.sendCommand = sendCommand;
  }
}
