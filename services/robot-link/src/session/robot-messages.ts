import type { RobotMessage } from '@perch/schema';
import type { InputQueue } from '../input/input-queue.js';
import type { Speaker } from '../media/speaker.js';
import type { LinkContext } from './context.js';
import type { RobotClock } from './robot-clock.js';
import type { RobotState } from './robot-state.js';
import type { OpenSession } from './open-session.js';
import type { SessionUpdate } from '../updates/session-update.js';

export interface RobotMessagesOptions {
  session: OpenSession;
  context: LinkContext;
  clock: RobotClock;
  inputs: InputQueue;
  speaker: Speaker;
  state: RobotState;
  update: SessionUpdate | null;
}

const pong = JSON.stringify({ t: 'pong' });

export class RobotMessages {
  readonly #options: RobotMessagesOptions;

  constructor(options: RobotMessagesOptions) {
    this.#options = options;
  }

  receive(message: RobotMessage): void {
    const { session, context, clock, inputs, speaker, state, update } = this.#options;
    const { metrics } = context;
    switch (message.t) {
      case 'ack':
        clock.note(message.ms);
        return session.commands.onAck(message);
      case 'in':
        if (message.ms !== null) clock.note(message.ms);
        metrics.inputs.inc({ kind: message.kind });
        if (message.kind === 'unreadable') {
          context.unreadable.input(session, message);
          // The owner sees it on the robot's page: nothing else tells why an input has no effect.
          context.robotLog.take(session, {
            t: 'log',
            level: 'warn',
            text: `perch cannot read input ${message.seq} (${message.of}): ${message.problem}`,
          });
        }
        return inputs.feed(message);
      case 'sensors':
        state.readings.accept(message.values, session.now(), metrics.readingDropped);
        return metrics.readings.observe(state.readings.values);
      case 'flow':
        return speaker.onFlow(message.stream, message.received, message.free);
      case 'play_done':
        return speaker.onDone(message.stream, message.reason);
      case 'ping':
        return session.socket.sendText(pong);
      case 'hello':
        return session.close(4400, 'a second hello');
      case 'log':
        return context.robotLog.take(session, message);
      case 'unreadable':
        return context.unreadable.message(session, message);
      case 'update_failed':
        return update?.failed(message.version, message.error);
      case 'pong':
      case 'unknown':
    }
  }
}
