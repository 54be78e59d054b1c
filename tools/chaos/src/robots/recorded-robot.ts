/** A robot that records its commands, acks, inputs and sessions in the history. */
import { micropythonInPlaceOf } from '@perch/launcher';
import type { Micropython } from '@perch/micropython-robot';
import { RobotCore } from '@perch/virtual-robot';
import type { History } from '../history/history.js';
import { commandName, markOf } from '../history/marks.js';
import type { Body, Session } from '../history/records.js';
import type { Random } from '../random.js';
import type { FrameRecorder, Message } from './recorded-frames.js';
import { RecordingRelay } from './recording-relay.js';
import { recordingSocket } from './recording-socket.js';

const soon = { minMs: 100, maxMs: 800 };

export interface RecordedRobotOptions {
  id: string;
  account: string;
  token: string;
  url: string;
  placeOf: (url: string) => string;
  /** Default: shorter than those of real robots, so that a round does not wait for them. */
  reconnect?: { minMs: number; maxMs: number };
  history: History;
  random: Random;
  /** Runs the robot program in it; without it the robot is a virtual one. */
  micropython?: Micropython | null;
  /** `main.py` of another version of the robot program. */
  program?: string;
}

export class RecordedRobot {
  readonly id: string;
  readonly account: string;
  readonly core: RobotCore;
  readonly #relay: RecordingRelay | null;
  readonly #history: History;
  readonly #placeOf: (url: string) => string;
  readonly #connections = new Map<number, { link: string; boot: string; reason: Session['reason']; session: string; end: () => void }>();
  #url: string;

  private constructor(options: RecordedRobotOptions, relay: RecordingRelay | null) {
    const { id, account, url, placeOf, history } = options;
    this.id = id;
    this.account = account;
    this.#url = url;
    this.#placeOf = placeOf;
    this.#history = history;
    this.#relay = relay;
    history.robot({ id, account });
    const recorder: FrameRecorder = {
      url: () => this.#url,
      received: (message, connection) => this.#onReceived(message, connection),
      sent: (message, connection) => this.#onSent(message, connection),
      closed: (connection) => this.#connections.get(connection)?.end(),
    };
    this.core = relay === null ? virtualRobot(options, recorder) : robotProgram(options, relay, recorder);
    this.core.on('settled', ({ id: command, outcome, ack }) => {
      const ms = relay === null ? (ack?.ms ?? null) : null;
      if (outcome === 'done') history.carriedOut({ robot: id, boot: this.core.bootId, id: command, ms });
    });
    this.core.on('violation', (what) => history.complaint(id, what));
    this.core.on('closed', ({ code, reason, status, final }) => {
      // A failed dial is expected while its robot-link is down.
      if (code !== 1006 || status !== null) history.note(`${id} closed ${code} ${reason}${final ? ', for good' : ''}`);
    });
  }

  static async open(options: RecordedRobotOptions): Promise<RecordedRobot> {
    return new RecordedRobot(options, (options.micropython ?? null) === null ? null : await RecordingRelay.open());
  }

  /** Whether the robot is the robot program in MicroPython: it lacks some misbehaviours. */
  get isMicropython(): boolean {
    return this.#relay !== null;
  }

  async stop(): Promise<void> {
    await this.core.stop();
    await this.#relay?.close();
  }

  moveTo(url: string): void {
    this.#url = url;
    this.core.faults.dropConnection();
  }

  #onSent(message: Message, connection: number): void {
    if (message.t === 'hello') {
      const boot = String(message['boot_id']);
      this.#history.hello(this.id);
      this.#connections.set(connection, {
        link: this.#placeOf(this.#url),
        boot,
        reason: message['reason'] as Session['reason'],
        session: '',
        end: () => undefined,
      });
    } else if (message.t === 'ack') {
      const { boot = '', session = '' } = this.#connections.get(connection) ?? {};
      this.#history.ack({ robot: this.id, boot, session, id: String(message['id']), ok: message['ok'] === true });
    }
  }

  #onReceived(message: Message, connection: number): void {
    const known = this.#connections.get(connection);
    if (known === undefined) return;
    const { boot } = known;
    if (message.t === 'welcome') {
      known.session = String(message['session']);
      known.end = this.#history.session({ robot: this.id, boot, session: known.session, link: known.link, reason: known.reason });
      this.#safe(boot, message['in_ack']);
    } else if (message.t === 'in_ack') {
      this.#safe(boot, message['seq']);
    } else if (message.t === 'cmd') {
      const args = (message['args'] ?? {}) as Body;
      const name = String(message['name']);
      const picture = name === 'screen.show' ? { layer: String(args['layer']), id: String(args['id']), crc32: Number(args['crc32']) } : null;
      const { session } = known;
      this.#history.command({
        robot: this.id,
        boot,
        session,
        id: String(message['id']),
        name: commandName(name, args),
        mark: markOf(name, args),
        picture,
      });
    }
  }

  #safe(boot: string, seq: unknown): void {
    if (typeof seq === 'number' && seq > 0) this.#history.inputAck({ robot: this.id, boot, seq });
  }
}

function virtualRobot({ url, token, id, reconnect = soon, random }: RecordedRobotOptions, recorder: FrameRecorder): RobotCore {
  return new RobotCore({ url, token, open: recordingSocket(recorder), serial: id, reconnect, random: () => random.next() });
}

function robotProgram(
  { token, id, micropython, program, reconnect = soon }: RecordedRobotOptions,
  relay: RecordingRelay,
  recorder: FrameRecorder,
): RobotCore {
  relay.record(recorder);
  return micropythonInPlaceOf(micropython!, { url: relay.url, token, ...(program !== undefined && { program }) }, { serial: id, reconnect });
}
