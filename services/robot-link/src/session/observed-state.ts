/**
 * What a robot does beside what it shows, for those who watch it: its bubble, its head, its LEDs, as it confirmed them in this session.
 * Kept here alone: whoever takes the robot over knows nothing of it until the robot is told anew. What ends by itself ends when it is read,
 * so that a robot nobody watches has no timer for it.
 */
import type { Doing } from '@perch/schema';
import type { Command } from '../commands/command-queue.js';
import type { RobotReadings } from './readings.js';

/** How long the head may be on its way to where it was told to go, ms; until then its sensors tell of the way. */
const wayMs = 2000;

type Effect = NonNullable<Doing['leds']['effect']>;

export class RobotDoing {
  #bubble: { text: string; until: number } | null = null;
  #head: { yaw: number | null; pitch: number | null; at: number } = { yaw: null, pitch: null, at: 0 };
  #pixels: string[] | null = null;
  #effect: { effect: Effect; until: number } | null = null;

  /** Takes in what the robot confirmed. @param result what it answered; @param now Redis ms */
  apply({ name, args }: Pick<Command, 'name' | 'args'>, result: Record<string, unknown>, now: number): void {
    switch (name) {
      case 'bubble':
        this.#bubble = { text: String(args['text']), until: now + seconds(args) * 1000 };
        return;
      case 'head.move':
        // What was told before and is not told now still counts: the head may be on its way.
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

  /** @param now Redis ms */
  at(now: number, readings: Pick<RobotReadings, 'values' | 'at' | 'headMoving'>, sound: boolean): Doing {
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

  #angle(told: number | null, reading: unknown, readAt: number | null): number | null {
    const read = typeof reading === 'number' ? reading : null;
    if (told === null || read === null) return told ?? read;
    return readAt !== null && readAt >= this.#head.at + wayMs ? read : told;
  }
}

function seconds({ seconds: value }: Record<string, unknown>): number {
  return typeof value === 'number' ? value : 0;
}

/** Where the robot said it goes, or, where it did not say, where it was told to. */
function angle(name: 'yaw' | 'pitch', result: Record<string, unknown>, args: Record<string, unknown>): number | null {
  if (typeof result[name] === 'number') return result[name];
  return typeof args[name] === 'number' ? args[name] : null;
}
