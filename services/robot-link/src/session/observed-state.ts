/** As confirmed by the robot in this session; unknown after a take-over. Values expire when read, so that an unwatched robot needs no timer. */
import type { ObservedState } from '@perch/schema';
import type { Command } from '../commands/command.js';
import type { RobotReadings } from './readings.js';

/** Until then sensors report angles along the way, so the target angle is returned instead. */
const movementMs = 2000;

interface HeadTarget {
  readonly yaw: number | null;
  readonly pitch: number | null;
  readonly at: number;
}

const noTarget: HeadTarget = { yaw: null, pitch: null, at: 0 };

type Effect = NonNullable<ObservedState['leds']['effect']>;

export class ObservedStateTracker {
  #bubble: { text: string; until: number } | null = null;
  #head = noTarget;
  #pixels: string[] | null = null;
  #effect: { effect: Effect; until: number } | null = null;

  apply({ name, args }: Pick<Command, 'name' | 'args'>, result: Record<string, unknown>, now: number): void {
    switch (name) {
      case 'bubble':
        this.#bubble = { text: String(args['text']), until: now + seconds(args) * 1000 };
        return;
      case 'head.move':
        // An angle that this command does not set is still the target of an earlier one: the head may be moving there.
        this.#head = { yaw: angle('yaw', result, args) ?? this.#head.yaw, pitch: angle('pitch', result, args) ?? this.#head.pitch, at: now };
        return;
      case 'head.gesture':
        if (args['name'] === 'home') this.#head = { yaw: 0, pitch: null, at: now };
        return;
      case 'leds.set':
        this.#pixels = args['pixels'] as string[];
        this.#effect = null;
        return;
      case 'leds.effect': {
        const { color = null, palette = null, speed } = args as Partial<Effect>;
        const forS = seconds(args);
        const effect = { name: String(args['name']), color, palette, speed: speed ?? 1 };
        this.#effect = { effect, until: forS === 0 ? Infinity : now + forS * 1000 };
      }
    }
  }

  at(now: number, readings: Pick<RobotReadings, 'values' | 'at' | 'headMoving'>, sound: boolean): ObservedState {
    return {
      bubble: this.#bubble !== null && now < this.#bubble.until ? this.#bubble.text : null,
      head: {
        yaw: this.#angle(this.#head.yaw, readings.values['head_yaw_deg'], readings.at),
        pitch: this.#angle(this.#head.pitch, readings.values['head_pitch_deg'], readings.at),
        moving: readings.headMoving,
      },
      leds: { pixels: this.#pixels, effect: this.#effect !== null && now < this.#effect.until ? this.#effect.effect : null },
      sound,
    };
  }

  #angle(commanded: number | null, reading: unknown, readAt: number | null): number | null {
    const read = typeof reading === 'number' ? reading : null;
    if (commanded === null || read === null) return commanded ?? read;
    return readAt !== null && readAt >= this.#head.at + movementMs ? read : commanded;
  }
}

function seconds({ seconds: value }: Record<string, unknown>): number {
  return typeof value === 'number' ? value : 0;
}

function angle(name: 'yaw' | 'pitch', result: Record<string, unknown>, args: Record<string, unknown>): number | null {
  if (typeof result[name] === 'number') return result[name];
  return typeof args[name] === 'number' ? args[name] : null;
}
