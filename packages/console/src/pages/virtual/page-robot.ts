/** The robot that this page is: its connection as the person is told of it, and what the page does when it ends. */
import { BrowserRobot, type Clock, type Closed } from '@perch/virtual-robot/browser';
import { soundRate } from './sound-player.js';

export type Phase =
  /** `failures`: dials in a row that were not welcomed. */
  | { name: 'connecting'; failures: number }
  | { name: 'online' }
  /** Another page or device connected as this robot; this one keeps away until it is told to take it back. */
  | { name: 'elsewhere' }
  /** Its token is no longer good, or the robot was removed. */
  | { name: 'revoked' }
  /** The service speaks no version of the link that this page knows. */
  | { name: 'outdated' }
  /** The place to connect to is another than the page was loaded for, and its policy lets it dial no others. */
  | { name: 'moved' };

/** So many dials in a row without a welcome are more than a hiccup. */
const troubledFrom = 2;

/** Whether nothing answers where it dials: it may have to be somewhere else. */
export function isLost(phase: Phase): boolean {
  return phase.name === 'moved' || (phase.name === 'connecting' && phase.failures >= troubledFrom);
}

/** Whether it is this robot, or about to be: where not, what hands do to it would be told much later, if ever. */
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

  /** @param onPhase called when `phase` is another */
  constructor({ url, token, clock, onPhase }: { url: string; token: string; clock?: Clock; onPhase: () => void }) {
    this.#onPhase = onPhase;
    this.robot = new BrowserRobot({ url, token, model: 'virtual', firmware: 'page-1', audio: { rates: [soundRate] }, ...(clock ? { clock } : {}) });
    this.robot.on('session', () => this.#to({ name: 'online' }));
    this.robot.on('closed', (end) => this.#closed(end));
  }

  /** Dials, and goes on dialling; also after another page took the robot over. */
  start(): void {
    if (this.robot.online) return;
    this.#dial(0);
  }

  async stop(): Promise<void> {
    await this.robot.stop();
  }

  /** Dials at once instead of after its pause, where it waits to. */
  async hurry(): Promise<void> {
    if (this.phase.name !== 'connecting') return;
    const { failures } = this.phase;
    await this.robot.stop();
    if (!this.robot.online) this.#dial(failures);
  }

  /** Dials there from now on: at once where it is not connected and would be. */
  async moveTo(url: string): Promise<void> {
    this.robot.dialAt(url);
    if (this.phase.name === 'moved') this.start();
    else await this.hurry();
  }

  /** The page may not dial where it was told to: it does not try again before it is told another place. */
  forbid(): void {
    if (this.phase.name !== 'connecting') return;
    this.#to({ name: 'moved' });
    void this.robot.stop();
  }

  #dial(failures: number): void {
    this.#to({ name: 'connecting', failures });
    // How it ended is told by `closed`.
    this.robot.start().catch(() => undefined);
  }

  #closed({ code, final }: Closed): void {
    if (code === replaced) {
      this.#to({ name: 'elsewhere' });
      // Of two pages the one that was opened last is the robot; dialling again would take it away from there.
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
