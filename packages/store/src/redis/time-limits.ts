/**
 * Makes ioredis read its sockets before it counts a command or a connection as timed out. A process that was stopped (SIGSTOP, a suspended virtual
 * machine) or busy runs its expired timers first when it resumes, although the replies lie in the socket: each limit waits for one poll phase more.
 * All connections get the limits, as ioredis makes those of a Cluster and of BullMQ itself.
 */
import { Command, Redis } from 'ioredis';

interface TimedCommand {
  _commandTimeoutTimer?: NodeJS.Timeout;
  isSettled: boolean;
  reject(error: Error): void;
}

interface TimedConnection {
  stream: Redis['stream'];
  options: Redis['options'];
  commandQueue: { length: number };
  socketTimeoutTimer: NodeJS.Timeout | undefined;
}

const commandLimit = {
  setTimeout(this: TimedCommand, ms: number): void {
    // ioredis clears it when the command settles, and keeps it when it resends the command.
    this._commandTimeoutTimer ??= setTimeout(() => {
      setImmediate(() => {
        if (!this.isSettled) this.reject(new Error('Command timed out'));
      });
    }, ms);
  },
};

const connectionLimit = {
  setSocketTimeout(this: TimedConnection): void {
    const { stream } = this;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.socketTimeoutTimer !== timer) return;
        this.socketTimeoutTimer = undefined;
        stream.destroy(new Error(`Redis sent nothing for ${this.options.socketTimeout} ms.`));
      });
    }, this.options.socketTimeout);
    this.socketTimeoutTimer = timer;
    // Runs behind the listener of ioredis, which takes the commands that are replied to out of the queue.
    stream.once('data', () => {
      clearTimeout(this.socketTimeoutTimer);
      this.socketTimeoutTimer = undefined;
      if (this.commandQueue.length > 0) (this as unknown as { setSocketTimeout(): void }).setSocketTimeout();
    });
  },
};

/** Call it before the first connection. A bundler drops a module that is imported for its effects alone. */
export function readSocketsBeforeLimits(): void {
  Object.assign(Command.prototype, commandLimit);
  Object.assign(Redis.prototype, connectionLimit);
}
