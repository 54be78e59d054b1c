import type { Playing } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import type { MediaCache } from '../media/media-cache.js';
import type { SoundEnd, SpeakerPort } from '../media/speaker.js';
import type { LinkContext } from './context.js';
import type { HeldLease } from './held-lease.js';
import type { OpenSession } from './open-session.js';

/** Time an `audio.stop` sent by the service itself may be queued, ms. */
const stopTtlMs = 5000;

export interface SessionSoundsOptions {
  session: OpenSession;
  lease: HeldLease;
  context: LinkContext;
  partBytesMax: number;
  bufferBytes: number;
}

export class SessionSounds implements SpeakerPort {
  readonly socket: RobotSocket;
  readonly media: MediaCache;
  readonly partBytesMax: number;
  readonly bufferBytes: number;
  readonly #session: OpenSession;
  readonly #lease: HeldLease;
  readonly #context: LinkContext;

  constructor({ session, lease, context, partBytesMax, bufferBytes }: SessionSoundsOptions) {
    this.socket = session.socket;
    this.media = context.media;
    this.partBytesMax = partBytesMax;
    this.bufferBytes = bufferBytes;
    this.#session = session;
    this.#lease = lease;
    this.#context = context;
  }

  soundReplaced(command: Command): void {
    this.#session.commands.settle(command, { kind: 'replaced' });
  }

  soundFailed(command: Command): void {
    const error = 'The speech engine failed before the robot began to speak. Try again.';
    this.#session.commands.settle(command, { kind: 'nack', code: 'speech_failed', error, end: 'refused' });
  }

  savePlaying(playing: Playing): void {
    void this.#lease.savePlaying(playing);
  }

  stopSound(): void {
    const expires = this.#context.store.clock.now() + stopTtlMs;
    this.#session.commands.pushFirst({ name: 'audio.stop', args: {}, expires, done: () => {} });
  }

  soundEnded(reason: SoundEnd): void {
    this.#context.metrics.sounds.inc({ reason });
  }
}
