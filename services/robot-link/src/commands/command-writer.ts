import { limits, type PictureRef, type SoundRef } from '@perch/schema';
import { randomInt } from 'node:crypto';
import type { Command, CommandPort, Loaded } from './command.js';
import type { MediaCache } from '../media/media-cache.js';
import { sendPicture, withPicture } from '../media/picture-sender.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import type { Speaker } from '../media/speaker.js';

const streams = 65_536;

function soundArgs(args: Record<string, unknown>, { format, rate, bytes, growing }: SoundRef, stream: number, id: string): Record<string, unknown> {
  return growing === true ? { ...args, stream, id, format, rate } : { ...args, stream, id, format, rate, bytes };
}

export class CommandWriter {
  readonly #session: string;
  readonly #socket: RobotSocket;
  readonly #media: MediaCache;
  readonly #speaker: Speaker;
  readonly #partBytesMax: number;
  #nextStream = randomInt(streams);

  constructor(options: { session: string; socket: RobotSocket; media: MediaCache; speaker: Speaker; partBytesMax: number }) {
    this.#session = options.session;
    this.#socket = options.socket;
    this.#media = options.media;
    this.#speaker = options.speaker;
    this.#partBytesMax = options.partBytesMax;
  }

  /** Loads the pictures of a command; of a sound, only the first piece. @throws {StoreError} */
  async load({ attachments = [], sound }: Command): Promise<Loaded | { missing: string }> {
    const wanted = [...attachments.map(({ picture }): PictureRef => picture), ...(sound ? [sound] : [])];
    const loaded = await Promise.all(wanted.map((ref) => (ref.kind === 'picture' ? this.#media.picture(ref) : this.#media.firstPiece(ref))));
    const missing = loaded.indexOf(null);
    return missing === -1 ? (loaded as Loaded) : { missing: wanted[missing]!.hash };
  }

  write(command: Command, id: string, ttlMs: number, loaded: Loaded): ReturnType<CommandPort['write']> {
    const { name, attachments = [], sound } = command;
    const pictureStreams = attachments.map(() => this.#takeStream());
    let args = attachments.reduce((into, attachment, i) => withPicture(into, attachment, pictureStreams[i]!), command.args);
    const soundStream = sound === undefined ? 0 : this.#takeStream();
    const soundId = `${this.#session}-${id}`;
    if (sound !== undefined) args = soundArgs(args, sound, soundStream, soundId);

    const text = JSON.stringify({ t: 'cmd', id, name, args, ttl_ms: ttlMs });
    if (Buffer.byteLength(text) > limits.link.textBytesMax) return { code: 'bad_argument', error: 'The arguments are too large for the robot.' };
    this.#socket.sendText(text);
    attachments.forEach((_, i) => sendPicture(this.#socket, pictureStreams[i]!, loaded[i]!, this.#partBytesMax));
    if (name === 'audio.stop') this.#speaker.stop();
    if (sound !== undefined) this.#speaker.begin(command, sound, soundId, soundStream, loaded[attachments.length]!);
    return null;
  }

  #takeStream(): number {
    if (this.#nextStream === this.#speaker.stream) this.#nextStream = (this.#nextStream + 1) % streams;
    const stream = this.#nextStream;
    this.#nextStream = (stream + 1) % streams;
    return stream;
  }
}
