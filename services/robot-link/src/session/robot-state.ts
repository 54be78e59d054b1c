import type { ObservedState, ScreenState } from '@perch/schema';
import type { SavedState } from '@perch/store';
import type { Command } from '../commands/command.js';
import { ownMovementMs } from '../commands/own-movement.js';
import { ObservedStateTracker } from './observed-state.js';
import { RobotReadings } from './readings.js';
import { applyToScreenState } from './screen-state.js';

export class RobotState {
  readonly screen: ScreenState;
  readonly readings = new RobotReadings();
  readonly #observed = new ObservedStateTracker();

  constructor({ card, question, emotion, view }: ScreenState) {
    this.screen = { card, question, emotion, view };
  }

  get saved(): SavedState {
    return { readings: this.readings.values, readingsAt: this.readings.at, showing: this.screen };
  }

  observed(now: number, sound: boolean): ObservedState {
    return this.#observed.at(now, this.readings, sound);
  }

  apply(command: Command, result: Record<string, unknown>, now: number): void {
    applyToScreenState(this.screen, command.name, command.args);
    // Before the target angle becomes the observed one: the robot acks a movement when it begins it.
    this.began(command, now);
    this.#observed.apply(command, result, now);
  }

  /** Notes the movement that a command starts, when it is sent and again when it is confirmed: the robot moves no later than that. */
  began({ name, args }: Pick<Command, 'name' | 'args'>, now: number): void {
    const movementMs = ownMovementMs(name, args, () => this.observed(now, false).head);
    if (movementMs !== null) this.readings.headCommanded(movementMs);
  }
}
