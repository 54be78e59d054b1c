import { parseRobotMessage, type Ack, type Flow, type Hello } from '@perch/schema';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { eventually, type LinkServer, type LinkSession, type Message } from '@perch/link-server';
import { quarterPicture, type Quarter } from './pictures.js';

type Fields = Record<string, unknown>;

/** A robot that did not do what a sentence says. */
export class Failed extends Error {}

/** The service reads an ack up to 1 s after `ttl_ms`, here 5 s. */
const answerMs = 6000;
/** A robot dials again after up to 60 s and 30 %, and its handshake takes up to 10 s. */
const backMs = 90_000;
const toneHz = 440;
/** Amplitude of the test sounds, at most 32,767: quiet. */
const toneLevel = 600;
const streams = 65_536;

export interface Playing {
  id: string;
  stream: number;
  pcm: Buffer;
  sent: number;
}

/** The robot under test, and what it has sent so far. */
export class Bench {
  readonly server: LinkServer;
  readonly hasPerson: boolean;
  /** Inputs are not acknowledged. */
  withholdsInAcks = false;
  /** The robot did not come back; nothing more can be tried. */
  isAway = false;
  /** Ids that the script has sent more than once. */
  readonly repeatedIds = new Set<string>();
  /** Names of commands by their ids. */
  readonly #names = new Map<string, string>();
  readonly #observed = new Map<string, Promise<unknown>>();
  #stream = Math.floor(Math.random() * streams);
  #ids = 0;
  #hello: { sent: Message | null; read: ReturnType<typeof parseRobotMessage> | null } = { sent: null, read: null };
  readonly #run = Math.floor(Math.random() * 1e9).toString(36);

  constructor(server: LinkServer, { hasPerson }: { hasPerson: boolean }) {
    this.server = server;
    this.hasPerson = hasPerson;
    server.onMessage = (session, message) => {
      if (message.t === 'ping') session.send({ t: 'pong' });
      if (message.t === 'in' && !this.withholdsInAcks) this.ackInput(session, message);
    };
  }

  /** Runs it once in the life of the bench: several checks judge one observation. */
  once<T>(observation: (bench: Bench) => Promise<T>): Promise<T> {
    const known = this.#observed.get(observation.name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = observation(this);
    this.#observed.set(observation.name, made);
    return made;
  }

  /** @throws {Failed} the robot is away, and does not dial again */
  async session(): Promise<LinkSession> {
    const found = await eventually(() => {
      const last = this.server.sessions.at(-1);
      return last?.hello && last.closeCode === null ? last : undefined;
    }, backMs).catch(() => null);
    return found ?? this.#away();
  }

  #away(): never {
    this.isAway = true;
    throw new Failed(`the robot has not connected again within ${backMs / 1000} s`);
  }

  get hello(): Hello {
    const sent = this.server.sessions.findLast(({ hello }) => hello !== null)?.hello ?? null;
    if (sent !== this.#hello.sent) this.#hello = { sent, read: parseRobotMessage(JSON.stringify(sent)) };
    const { read } = this.#hello;
    if (read === null || !('t' in read) || read.t !== 'hello')
      throw new Failed(`the hello does not fit${read !== null && 'problem' in read ? `: ${read.problem}` : ''}`);
    return read;
  }

  offers(feature: string): boolean {
    return this.hello.features.includes(feature);
  }

  /** Numbers of one sequence, as the service uses them. */
  nextStream(): number {
    this.#stream = (this.#stream + 1) % streams;
    return this.#stream;
  }

  nextId(): string {
    this.#ids += 1;
    return `${this.#run}-${this.#ids}`;
  }

  async send(name: string, args: Fields = {}, ttl = 5000): Promise<string> {
    const id = this.nextId();
    this.#names.set(id, name);
    return (await this.session()).cmd(name, args, { id, ttl });
  }

  /** @throws {Failed} no ack, or one that does not fit */
  async ack(id: string, withinMs = answerMs): Promise<Ack> {
    const acked = await this.within(withinMs, () => this.acks(id)[0]);
    if (acked === null) throw new Failed(`no ack of ${this.#names.get(id) ?? 'the command'} within ${withinMs / 1000} s`);
    const ack = parseRobotMessage(JSON.stringify(acked));
    if ('t' in ack && ack.t === 'ack') return ack;
    throw new Failed('problem' in ack ? ack.problem : 'the ack cannot be read');
  }

  async run(name: string, args: Fields = {}): Promise<Ack> {
    return this.ack(await this.send(name, args));
  }

  /** Over all connections. */
  acks(id: string): Message[] {
    return this.server.sessions.flatMap((session) => session.acks(id));
  }

  async within<T>(ms: number, look: () => T | undefined | false): Promise<T | null> {
    return eventually(look, ms).catch(() => null);
  }

  /** Closes the connection, and waits for the next hello. */
  async reconnect(code = 4009): Promise<LinkSession> {
    const before = await this.session();
    const count = this.server.sessions.length;
    before.socket.close(code);
    const next = await this.within(backMs, () => this.server.sessions.slice(count).find(({ hello }) => hello !== null));
    return next ?? this.#away();
  }

  /** Resolves when the robot has read what was sent to it. */
  async ackSettled(): Promise<void> {
    await this.run('robot', { command: 'perch_conformance', args: {} });
  }

  get partBytes(): number {
    return this.hello.audio?.max_part_bytes ?? 4096;
  }

  /** Announces a picture; no part is sent. */
  async show(layer: 'card' | 'question', id: string, more: Fields = {}, quarter: Quarter = 'upper left') {
    const { screen } = this.hello;
    const format = screen?.formats[0] ?? 'png';
    const picture = quarterPicture(format, { w: screen?.w ?? 320, h: screen?.h ?? 240 }, quarter);
    const stream = this.nextStream();
    const args = {
      layer,
      id,
      stream,
      format,
      bytes: picture.length,
      crc32: crc32(picture),
      ...(layer === 'question' && { show_ms: 60_000 }),
      ...more,
    };
    return { command: await this.send('screen.show', args), stream, picture };
  }

  async sendPicture(stream: number, picture: Buffer, from = 0, to = picture.length): Promise<void> {
    // Two parts at least, so that one can be held back.
    const size = Math.min(this.partBytes, Math.ceil(picture.length / 2));
    (await this.session()).parts('picture', stream, picture, from, to, size);
  }

  /** Shows a whole picture. @throws {Failed} refused */
  async shown(layer: 'card' | 'question', id: string, more: Fields = {}, quarter?: Quarter): Promise<void> {
    const { command, stream, picture } = await this.show(layer, id, more, quarter);
    await this.sendPicture(stream, picture);
    accepted(await this.ack(command), 'screen.show');
  }

  get rate(): number {
    return Math.max(...(this.hello.audio?.rates ?? [16_000]));
  }

  bytesOf(seconds: number): number {
    return 2 * Math.round(this.rate * seconds);
  }

  get bufferBytes(): number {
    return (this.hello.audio?.buffer_bytes ?? 0) & ~1;
  }

  /** Longer than the buffer, if the buffer holds up to 8 s: the robot has to give credit back. */
  get longSoundBytes(): number {
    const withCredit = this.bufferBytes + this.bytesOf(1.5);
    return withCredit <= this.bytesOf(9.5) ? withCredit : this.bytesOf(3);
  }

  /** Announces a sound; no part is sent. */
  async play(bytes: number, more: Fields = {}): Promise<Playing> {
    const { rate } = this;
    const pcm = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; at += 2) pcm.writeInt16LE(Math.round(toneLevel * Math.sin((Math.PI * toneHz * at) / rate)), at);
    const stream = this.nextStream();
    const id = await this.send('audio.play', { stream, id: `tone-${stream}`, format: 'pcm_s16le', rate, bytes, ...more });
    return { id, stream, pcm, sent: 0 };
  }

  /** Sends parts of a sound up to a position. */
  async feed(sound: Playing, to: number): Promise<void> {
    const end = Math.min(to, sound.pcm.length);
    if (end <= sound.sent) return;
    (await this.session()).parts('audio', sound.stream, sound.pcm, sound.sent, end, this.partBytes & ~1);
    sound.sent = end;
  }

  flows(stream: number): Flow[] {
    return this.server.sessions.flatMap((session) => session.of('flow')).filter((flow) => flow['stream'] === stream) as unknown as Flow[];
  }

  ends(stream: number): string[] {
    const done = this.server.sessions.flatMap((session) => session.of('play_done')).filter((each) => each['stream'] === stream);
    return done.map(({ reason }) => String(reason));
  }

  /** Sends what credit allows until the sound ends. @returns how, or null if it stands still for 6 s */
  async feedToEnd(sound: Playing, credit: number): Promise<string | null> {
    let progressAt = performance.now();
    for (;;) {
      const [end] = this.ends(sound.stream);
      if (end !== undefined) return end;
      const flow = this.flows(sound.stream).at(-1);
      const allowed = Math.min(sound.pcm.length, flow === undefined ? credit : flow.received + flow.free) & ~1;
      if (allowed > sound.sent) {
        await this.feed(sound, allowed);
        progressAt = performance.now();
      }
      const playsMs = sound.sent === sound.pcm.length ? (this.bufferBytes / 2 / this.rate) * 1000 : 0;
      if (performance.now() - progressAt > answerMs + playsMs) return null;
      await sleep(10);
    }
  }

  ackInput(session: LinkSession, { seq }: Message): void {
    if (typeof seq !== 'number') return;
    const boot = String(session.hello?.['boot_id']);
    this.server.marks.set(boot, Math.max(seq, this.server.marks.get(boot) ?? 0));
    session.send({ t: 'in_ack', seq: this.server.marks.get(boot) });
  }
}

/** @throws {Failed} */
export function accepted(ack: Ack, name: string): Record<string, unknown> {
  if (!ack.ok) throw new Failed(`${name} was refused: ${ack.code} (${ack.error})`);
  return ack.result;
}

/** @throws {Failed} */
export function refused(ack: Ack, codes: readonly string[], what: string): void {
  if (ack.ok) throw new Failed(`${what} was acked with ok`);
  if (!codes.includes(ack.code)) throw new Failed(`${what} was refused with ${ack.code}, not with ${codes.join(' or ')}`);
}
