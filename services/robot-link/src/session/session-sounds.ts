/** Connects the speaker of a session to its commands, its lease and the metrics. */
import type { Playing } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import type { MediaCache } from '../media/media-cache.js';
import type { SoundEnd, SpeakerPort } from '../media/speaker.js';
import type { LinkContext } from './context.js';
import type { Session } from './session.js';

/** Time an `audio.stop` sent by the service itself may be queued, ms. */
const stopTtlMs = 5000;

export class SessionSounds implements SpeakerPort {
  readonly socket: RobotSocket;
  readonly media: MediaCache;
  readonly partBytesMax: number;
  readonly bufferBytes: number;
  readonly #session: Session;
  readonly #context: LinkContext;

  constructor(session: Session, context: LinkContext, { partBytesMax, bufferBytes }: { partBytesMax: number; bufferBytes: number }) {
    this.socket = session.socket;
    this.media = context.media;
    this.partBytesMax = partBytesMax;
    this.bufferBytes = bufferBytes;
    this.#session = session;
    this.#context = context;
  }

  soundReplaced(command: Command): void {
    this.#session.commands.settle(command, { kind: 'replaced' });
  }

  savePlaying(playing: Playing): void {
    void this.#session.lease.savePlaying(playing);
  }

  stopSound(): void {
    const expires = this.#context.store.clock.now() + stopTtlMs;
    this.#session.commands.pushFirst({ name: 'audio.stop', args: {}, expires, done: () => {} });
  }

  soundEnded(reason: SoundEnd): void {
    this.#context.metrics.sounds.inc({ reason });
  }
}
