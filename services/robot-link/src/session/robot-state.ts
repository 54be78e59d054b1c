/** State of a robot as its session knows it: screen, readings, and what it confirmed besides. */
import type { Doing, Showing } from '@perch/schema';
import type { SavedState } from '@perch/store';
import type { Command } from '../commands/command.js';
import { ObservedState } from './observed-state.js';
import { RobotReadings } from './readings.js';
import { applyToScreenState } from './screen-state.js';

export class RobotState {
  readonly screen: Showing;
  readonly readings = new RobotReadings();
  readonly #observed = new ObservedState();

  /** @param showing as in the robot's hello */
  constructor({ card, question, emotion, view }: Showing) {
    this.screen = { card, question, emotion, view };
  }

  get saved(): SavedState {
    return { readings: this.readings.values, readingsAt: this.readings.at, showing: this.screen };
  }

  /** @param now Redis ms */
  observed(now: number, sound: boolean): Doing {
    return this.#observed.at(now, this.readings, sound);
  }

  /** Applies a command that the robot confirmed. @param result the robot's answer; @param now Redis ms */
  apply(command: Command, result: Record<string, unknown>, now: number): void {
    applyToScreenState(this.screen, command.name, command.args);
    this.#observed.apply(command, result, now);
    if (command.name.startsWith('head.')) this.readings.headCommanded();
  }
}
