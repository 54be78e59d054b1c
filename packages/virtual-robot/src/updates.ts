/** Updates of the robot's program: the service offers a version, and the command `update` installs it by a restart with that version. */
import { badArgs, Nack } from './commands/args.js';
import type { FaultSettings } from './connection/faults.js';
import { isFields, type Boot, type ProgramOffer } from './connection/messages.js';
import { defaults, type RobotOptions } from './options.js';

interface UpdatedRobot {
  readonly bootId: string;
  readonly screen: { readonly question: object | null };
  readonly faults: { readonly settings: FaultSettings };
  until(holds: () => boolean, options: { timeoutMs: number; what: string }): Promise<void>;
  restart(reason: 'start', boot: Boot): void;
}

interface UpdatesLink {
  /** `url`: `ws(s)://HOST/robot/v1/link` */
  target: { url: string };
  link: { send(message: object): boolean };
}

const answerMsMax = 600_000;
const programName = /^(micropython-.* perch-).+$/;

export class Updates {
  /** Version of the program that runs. */
  firmware: string;
  offer: ProgramOffer | null = null;
  /** Its boot id when the update began: a restart ends an update. */
  #running: string | null = null;
  /** To report after the next welcome. */
  #failed: { version: string; error: string } | null = null;
  readonly #robot: UpdatedRobot;
  readonly #target: UpdatesLink['target'];
  readonly #link: UpdatesLink['link'];

  constructor(robot: UpdatedRobot, { firmware = defaults.firmware }: Pick<RobotOptions, 'firmware'>, { target, link }: UpdatesLink) {
    this.firmware = firmware;
    this.#robot = robot;
    this.#target = target;
    this.#link = link;
  }

  get #isRunning(): boolean {
    return this.#running === this.#robot.bootId;
  }

  welcomed(offer: ProgramOffer | undefined): void {
    this.offer = offer ?? null;
    if (this.#failed !== null) this.#link.send({ t: 'update_failed', ...this.#failed });
    this.#failed = null;
  }

  /** The download begins when this returns. @throws {Nack} */
  begin(version: string): void {
    const { offer } = this;
    if (offer?.version !== version) throw badArgs('version: not offered');
    if (this.#isRunning || this.#robot.screen.question !== null) throw new Nack('busy', 'a question waits, or an update runs');
    this.#running = this.#robot.bootId;
    void this.#install(offer);
  }

  async #install(offer: ProgramOffer): Promise<void> {
    const { version } = offer;
    const fault = this.#robot.faults.settings.update;
    try {
      await this.#download(offer);
      if (fault?.at === 'download') throw new Error(fault.error);
    } catch (error) {
      if (!this.#isRunning) return;
      this.#running = null;
      this.#link.send({ t: 'update_failed', version, error: error instanceof Error ? error.message : String(error) });
      return;
    }
    await this.#robot.until(() => this.#robot.screen.question === null, { timeoutMs: answerMsMax, what: 'the answer' });
    if (!this.#isRunning) return;
    if (fault?.at === 'start') {
      this.#failed = { version, error: `three starts without a welcome (${fault.error})` };
      return this.#robot.restart('start', { cause: 'crash', error: fault.error });
    }
    this.firmware = this.firmware.replace(programName, `$1${version}`);
    this.#robot.restart('start', { cause: 'update' });
  }

  async #download({ url, size, sha256 }: ProgramOffer): Promise<void> {
    const response = await fetch(new URL(url, this.#target.url.replace(/^ws/, 'http')));
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength !== size) throw new Error(`${bytes.byteLength} of ${size} bytes arrived`);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    if (Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') !== sha256) throw new Error('the file has another sha256');
    const text = new TextDecoder().decode(bytes);
    const head: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
    if (!isFields(head) || !Array.isArray(head['files'])) throw new Error('the file has no list of files');
  }
}
