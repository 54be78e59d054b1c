import { BrowserRobot, type Clock, type Closed } from '@perch/virtual-robot/browser';
import { soundRate } from './sound-player.js';

export type Phase =
  /** `failures`: consecutive failed connection attempts. */
  | { name: 'connecting'; failures: number }
  | { name: 'online' }
  /** Another page or device connected as this robot; this page does not reconnect until the user asks. */
  | { name: 'elsewhere' }
  /** The token was revoked, or the robot was removed. */
  | { name: 'revoked' }
  /** The service supports no protocol version of this page. */
  | { name: 'outdated' }
  /** The URL to connect to has changed since the page was loaded, and its Content-Security-Policy forbids the new one. */
  | { name: 'moved' };

const lostFrom = 2;

/** Whether the URL is unreachable, so that another one may be needed. */
export function isLost(phase: Phase): boolean {
  return phase.name === 'moved' || (phase.name === 'connecting' && phase.failures >= lostFrom);
}

/** Whether this page runs the robot or is connecting. Otherwise, touches would be sent much later, or never. */
export function isHere({ name }: Phase): boolean {
  return name === 'online' || name === 'connecting';
}

const replaced = 4001;
const revoked = 4003;
const wrongVersion = 4010;

export class PageRobot {
  readonly robot: BrowserRobot;
  phase: Phase = { name: 'connecting', failures: 0 };
  readonly #onPhase: () => void;

  constructor({ url, token, clock, onPhase }: { url: string; token: string; clock?: Clock; onPhase: () => void }) {
    this.#onPhase = onPhase;
    this.robot = new BrowserRobot({ url, token, model: 'virtual', firmware: 'page-2', audio: { rates: [soundRate] }, ...(clock ? { clock } : {}) });
    this.robot.on('session', () => this.#to({ name: 'online' }));
    this.robot.on('closed', (end) => this.#closed(end));
  }

  /** Connects with retries; also after another page has taken the robot over. */
  start(): void {
    if (this.robot.online) return;
    this.#dial(0);
  }

  async stop(): Promise<void> {
    await this.robot.stop();
  }

  /** Connects now if it waits for a retry. */
  async dialNow(): Promise<void> {
    if (this.phase.name !== 'connecting') return;
    const { failures } = this.phase;
    await this.robot.stop();
    if (!this.robot.online) this.#dial(failures);
  }

  /** Uses this URL from now on, and connects now if it is not connected. */
  async moveTo(url: string): Promise<void> {
    this.robot.dialAt(url);
    if (this.phase.name === 'moved') this.start();
    else await this.dialNow();
  }

  /** Stops until `moveTo`, because the page's policy forbids the URL. */
  stopForbidden(): void {
    if (this.phase.name !== 'connecting') return;
    this.#to({ name: 'moved' });
    void this.robot.stop();
  }

  #dial(failures: number): void {
    this.#to({ name: 'connecting', failures });
    // Failures are reported by the event `closed`.
    this.robot.start().catch(() => undefined);
  }

  #closed({ code, final }: Closed): void {
    if (code === replaced) {
      this.#to({ name: 'elsewhere' });
      // The page that was opened last runs the robot; reconnecting would take it away from that page.
      void this.robot.stop();
    } else if (code === revoked) this.#to({ name: 'revoked' });
    else if (code === wrongVersion) this.#to({ name: 'outdated' });
    else if (!final && this.phase.name !== 'moved')
      this.#to({ name: 'connecting', failures: this.phase.name === 'connecting' ? this.phase.failures + 1 : 0 });
  }

  #to(phase: Phase): void {
    this.phase = phase;
    this.#onPhase();
  }
}
