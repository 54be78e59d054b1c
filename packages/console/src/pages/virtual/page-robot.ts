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
  | { name: 'outdated' };

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
    this.#to({ name: 'connecting', failures: 0 });
    // How it ended is told by `closed`.
    this.robot.start().catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.robot.stop();
  }

  /** Dials at once instead of after its pause, where it waits to. */
  async hurry(): Promise<void> {
    if (this.phase.name !== 'connecting') return;
    await this.robot.stop();
    this.start();
  }

  #closed({ code, final }: Closed): void {
    if (code === replaced) {
      this.#to({ name: 'elsewhere' });
      // Of two pages the one that was opened last is the robot; dialling again would take it away from there.
      void this.robot.stop();
    } else if (code === revoked) this.#to({ name: 'revoked' });
    else if (code === wrongVersion) this.#to({ name: 'outdated' });
    else if (!final) this.#to({ name: 'connecting', failures: this.phase.name === 'connecting' ? this.phase.failures + 1 : 0 });
  }

  #to(phase: Phase): void {
    this.phase = phase;
    this.#onPhase();
  }
}
