/** leds: sets 12 colours or an effect. Colours are corrected so that the LEDs look like the same colours on a screen. */
import { actionByName, parseColor, type ArgsOf, type RobotCommand } from '@perch/schema';
import { ledBar, ledColor, ledsOff, rainbowPalette } from '../media/led-color.js';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('leds')!.features;

export const leds: ActionHandler<'leds'> = async (call, args) => {
  await call.services.commands.send(call, { needs, command: ledsCommand(args) });
  return {};
};

export function ledsCommand({ color, bar, pixels, effect, speed, seconds, off }: ArgsOf<'leds'>): RobotCommand {
  const screenColor = color === undefined ? '#ffffff' : parseColor(color);
  if (effect !== undefined) return { name: 'leds.effect', args: { name: effect, ...effectColors(effect, screenColor), speed, seconds } };
  if (off === true) return set(ledsOff);
  if (pixels !== undefined) return set(pixels.map((pixel) => ledColor(parseColor(pixel))));
  if (bar !== undefined) return set(ledBar(screenColor, bar));
  const ledsColor = ledColor(screenColor);
  return set(ledsOff.map(() => ledsColor));
}

function set(pixels: readonly string[]): RobotCommand {
  return { name: 'leds.set', args: { pixels: [...pixels] } };
}

function effectColors(effect: string, screenColor: string): Record<string, unknown> {
  if (effect === 'off') return {};
  return effect === 'rainbow' ? { color: ledColor(screenColor), palette: [...rainbowPalette] } : { color: ledColor(screenColor) };
}
