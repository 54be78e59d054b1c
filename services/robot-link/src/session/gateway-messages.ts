import type { ToLink } from '@perch/schema';
import type { SoundLimits } from '../media/sound-limits.js';
import type { Speaker } from '../media/speaker.js';
import type { WaitController } from '../waits/wait-controller.js';
import { noteFailure, type LinkContext } from './context.js';
import type { HeldLease } from './held-lease.js';
import type { OpenSession } from './open-session.js';
import { sendReply } from './replies.js';
import type { RobotState } from './robot-state.js';
import type { SessionUpdate } from '../updates/session-update.js';
import type { SessionCommands } from './session-commands.js';

interface LeasedSession extends OpenSession {
  readonly isOver: boolean;
  readonly lease: HeldLease;
}

export interface GatewayMessagesOptions {
  session: LeasedSession;
  context: LinkContext;
  sessionCommands: SessionCommands;
  waits: WaitController;
  state: RobotState;
  speaker: Speaker;
  limits: SoundLimits;
  update: SessionUpdate | null;
}

export class GatewayMessages {
  readonly #options: GatewayMessagesOptions;

  constructor(options: GatewayMessagesOptions) {
    this.#options = options;
  }

  /** While the session drains, commands are queued and sent back when the robot leaves. False: it no longer acts for gateways, and sent nothing. */
  receive(message: Exclude<ToLink, { t: 'close' }>): boolean {
    const { session, sessionCommands, waits } = this.#options;
    // Remove the question while the robot is still connected.
    if (message.t === 'wait_end' && !session.isOver) waits.close(message.number);
    if (session.isOver || session.lease.isLost) return false;
    if (message.t === 'command') sessionCommands.receive(message);
    else if (message.t === 'wait') waits.open(message.record, message.arrivedAt);
    else if (message.t === 'state') void this.#answerState(message);
    return true;
  }

  /** @returns false when Redis failed: the old settings stay in force */
  async readSettings(): Promise<boolean> {
    const { session, context, limits } = this.#options;
    const read = await context.store.robots.chosenOf(session.robot).catch((error: unknown) => noteFailure(context, 'settings', error));
    if (read) limits.settings = read.settings;
    return read !== undefined;
  }

  async #answerState({ id, gateway, doing, settings }: Extract<ToLink, { t: 'state' }>): Promise<void> {
    if (settings === true && !(await this.readSettings())) return;
    const { session, context, state, speaker, update } = this.#options;
    if (settings === true) update?.read();
    const observed = doing === true ? { doing: state.observed(session.now(), speaker.isPlaying) } : {};
    sendReply(context, gateway, { t: 'state', id, ...state.saved, ...observed });
  }
}
