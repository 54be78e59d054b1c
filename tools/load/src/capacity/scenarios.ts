/** Short runs that each load one thing, to separate its cost. Their mixes do little else. */
import { callKinds, defaultMix, readerKinds, type CallKind, type Mix } from '../mix.js';

export type Unit = 'robot' | 'call';

export interface Scenario {
  unit: Unit;
  robots: number;
  rate: number;
  minutes: number;
  mix: Mix;
}

const quiet: Partial<Mix> = { taps_per_robot_minute: 0, keyed_share: 0 };

export const scenarioNames = ['empty', 'idle', 'calls', 'keyed', 'cards'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  empty: idle(10),
  idle: idle(2000),
  calls: called(only(callKinds, 'leds'), 300),
  keyed: called(only(callKinds, 'leds'), 150, { keyed_share: 1 }),
  cards: called(only(callKinds, 'show'), 30, { new_card_share: 1 }),
};

function idle(robots: number): Scenario {
  return { unit: 'robot', robots, rate: 0, minutes: 0.4, mix: mixOf({ ...quiet, readers: only(readerKinds, 'webhook') }) };
}

function called(calls: Record<CallKind, number>, rate: number, more: Partial<Mix> = {}): Scenario {
  return { unit: 'call', robots: 400, rate, minutes: 0.4, mix: mixOf({ ...quiet, calls, readers: only(readerKinds, 'webhook'), ...more }) };
}

function mixOf(changes: Partial<Mix>): Mix {
  return { ...defaultMix, ...changes };
}

function only<K extends string>(kinds: readonly K[], kind: K): Record<K, number> {
  return Object.fromEntries(kinds.map((each) => [each, each === kind ? 1 : 0])) as Record<K, number>;
}
