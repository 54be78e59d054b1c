/** The LEDs as a light of Home Assistant's JSON schema: https://www.home-assistant.io/integrations/light.mqtt/#json-schema (2025.x). */
import type { LedsArguments } from '@perch/client';
import { BadPayload, objectOf } from './payload.js';

export const lightEffects = ['rainbow', 'breathe', 'chase', 'blink'] as const;
/** Home Assistant's name for the light without an effect. */
export const noEffect = 'off';

export interface LightState {
  state: 'ON' | 'OFF';
  brightness: number;
  color_mode: 'rgb';
  color: { r: number; g: number; b: number };
  effect: string;
}

/** The defaults of the action, for a light that is unknown and that a command switches on or off without saying more. */
const lightByDefault: LightState = { state: 'OFF', brightness: 255, color_mode: 'rgb', color: { r: 255, g: 255, b: 255 }, effect: noEffect };

export function lightOff(before: LightState | null): LightState {
  return { ...(before ?? lightByDefault), state: 'OFF', effect: noEffect };
}

/** Returns the light of a payload as the bridge publishes it; null: it is none. */
export function lightIn(payload: string): LightState | null {
  try {
    const { state, brightness, color, effect } = objectOf(payload);
    if (state !== 'ON' && state !== 'OFF') return null;
    const light = lightAfter(null, JSON.stringify({ state: 'ON', brightness, color, effect }));
    return { ...light, state };
  } catch {
    return null;
  }
}

/** Returns what the light becomes by a command, which names only what it changes. @param known null: unknown @throws {BadPayload} */
export function lightAfter(known: LightState | null, payload: string): LightState {
  const before = known ?? lightByDefault;
  const given = objectOf(payload);
  const { state, brightness = before.brightness, color = before.color, effect } = given;
  if (state !== 'ON' && state !== 'OFF') throw new BadPayload('state must be ON or OFF');
  // Home Assistant switches off a light whose brightness becomes 0, and does not read a brightness of 0.
  if (state === 'OFF' || brightness === 0) return lightOff(before);
  if (!isByte(brightness)) throw new BadPayload('brightness must be a whole number from 0 to 255');
  const changesUnknown = known === null && given.color === undefined && (given.brightness !== undefined || (effect ?? noEffect) !== noEffect);
  if (changesUnknown && effect !== 'rainbow') throw new BadPayload('the colour of the LEDs is not known: set it, too, or switch the light on first');
  const { r, g, b } = (typeof color === 'object' && color !== null ? color : {}) as Partial<Record<string, unknown>>;
  if (!isByte(r) || !isByte(g) || !isByte(b)) throw new BadPayload('color must have r, g and b, whole numbers from 0 to 255');
  // A colour of its own ends an effect that shows all colours.
  const kept = color !== before.color && before.effect === 'rainbow' ? noEffect : before.effect;
  const next = effect ?? kept;
  if (next !== noEffect && !lightEffects.some((name) => name === next))
    throw new BadPayload(`effect must be ${noEffect}, ${lightEffects.join(', ')}`);
  return { state, brightness, color_mode: 'rgb', color: { r, g, b }, effect: next as string };
}

export function ledsOf({ state, brightness, color, effect }: LightState): LedsArguments {
  if (state === 'OFF') return { off: true };
  const hex = `#${[color.r, color.g, color.b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  const shown = { color: hex, brightness: Math.round((brightness / 255) * 1000) / 1000 };
  return effect === noEffect ? shown : { ...shown, effect: effect as (typeof lightEffects)[number] };
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}
