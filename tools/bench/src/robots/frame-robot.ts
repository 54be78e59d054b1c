/** Used for Perch and the lean variant. */
import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { sharedNow } from '../shared-clock.js';
import { Body, type Dial, type PlainRobot, type Readings, type RobotCommand } from './plain-robot.js';

interface Frame {
  t: string;
  id: string;
  name: string;
  args: Record<string, unknown>;
}

const soundKind = 2;
const lastFlag = 2;
const headerBytes = 8;
const bufferBytes = 98_304;
/** How long any question is on the screen before a touch counts, ms. */
const countsAfterMs = 1000;
/** On the first of two answers in any layout. */
export const answerAt = { x: 60, y: 170 };
const features = ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker'];

export class FrameRobot implements PlainRobot {
  readonly body = new Body();
  readonly #socket: WebSocket;
  /** Acked with its last byte. */
  #awaitsPicture: Frame | null = null;
  /** Acked with its first part. */
  #awaitsSound: Frame | null = null;
  #inputs = 0;
  #pictureBytes = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @throws if it receives no welcome */
  static dial({ url, token }: Dial, formats: readonly string[] = ['png', 'jpeg']): Promise<FrameRobot> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, 'perch-link.v1', { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
      const robot = new FrameRobot(socket);
      socket.on('open', () => socket.send(hello(formats)));
      socket.on('error', reject);
      socket.on('close', (code) => reject(new Error(`the link closed with ${code}`)));
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) return robot.#part(data);
        const frame = JSON.parse(data.toString()) as Frame;
        if (frame.t === 'cmd') robot.#command(frame);
        else if (frame.t === 'ping') socket.send('{"t":"pong"}');
        else if (frame.t === 'welcome') resolve(robot);
      });
    });
  }

  report(values: Readings): void {
    this.#socket.send(JSON.stringify({ t: 'sensors', values }));
  }

  ping(): void {
    this.#socket.send('{"t":"ping"}');
  }

  /** @param afterMs how much later than now it began, by the robot's clock */
  tap(at = { x: 160, y: 120 }, afterMs = 1): void {
    const ms = Math.round(performance.now()) + afterMs;
    this.#send({ t: 'in', seq: ++this.#inputs, ms, kind: 'touch_down', ...at });
    this.#send({ t: 'in', seq: ++this.#inputs, ms: ms + 90, kind: 'touch_up', ...at, held_ms: 90 });
  }

  close(): void {
    this.#socket.close();
  }

  #command(frame: Frame): void {
    if (frame.name === 'screen.show') this.#awaitsPicture = frame;
    else if (frame.name === 'audio.play') this.#awaitsSound = frame;
    else this.#done(frame);
  }

  #part(data: Buffer): void {
    const [kind = 0, flags = 0] = data;
    if (kind === soundKind) return this.#soundPart(data, (flags & lastFlag) !== 0);
    if (this.#awaitsPicture === null) return;
    this.#pictureBytes += data.length - headerBytes;
    if ((flags & lastFlag) === 0) return;
    const frame = this.#awaitsPicture;
    this.body.pictures.push({ at: sharedNow(), bytes: this.#pictureBytes });
    this.#pictureBytes = 0;
    this.#awaitsPicture = null;
    this.#done(frame);
    if (frame.args['layer'] === 'question') this.tap(answerAt, countsAfterMs);
  }

  #soundPart(data: Buffer, isLast: boolean): void {
    const stream = data.readUInt16BE(2);
    const received = data.readUInt32BE(4) + data.length - headerBytes;
    if (this.#awaitsSound !== null) this.#done(this.#awaitsSound);
    this.#awaitsSound = null;
    this.#send({ t: 'flow', stream, received, free: bufferBytes, played_ms: 0 });
    if (isLast) this.#send({ t: 'play_done', stream, reason: 'end' });
  }

  #done(frame: Frame & RobotCommand): void {
    this.body.execute(frame);
    this.#send({ t: 'ack', id: frame.id, ms: Math.round(performance.now()), ok: true, result: {} });
  }

  #send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }
}

function hello(formats: readonly string[]): string {
  return JSON.stringify({
    t: 'hello',
    v: [1],
    model: 'bench',
    firmware: '1.0.0',
    boot_id: randomBytes(6).toString('hex'),
    dial: 1,
    reason: 'start',
    screen: { w: 320, h: 240, formats, max_bytes: 98_304 },
    audio: { formats: ['pcm_s16le'], rates: [16_000, 24_000], buffer_bytes: bufferBytes, max_part_bytes: 4096 },
    leds: { count: 12 },
    features,
    showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
    commands: [],
  });
}
