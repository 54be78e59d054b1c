/** Colours are corrected so that the LEDs look like the same colours on a screen. */
import { actionByName, parseColor, type ArgsOf, type RobotCommand } from '@perch/schema';
import { ledBar, ledColor, ledsOff, lightShare, rainbowColors, limitedColors, limitedPixels } from '../media/led-color.js';
import type { Action, ActionServices } from './action.js';

const needs = actionByName.get('leds')!.features;

export const createLeds =
  ({ commands, ledMa }: Pick<ActionServices, 'commands' | 'ledMa'>): Action<'leds'> =>
  async (call, args) => {
    await commands.send(call, { needs, command: ledsCommand(args, ledMa) });
    return {};
  };

export function ledsCommand({ color, bar, pixels, effect, speed, seconds, off, brightness }: ArgsOf<'leds'>, maxMa: number): RobotCommand {
  const screenColor = color === undefined ? '#ffffff' : parseColor(color);
  const light = lightShare(brightness ?? 1);
  if (effect !== undefined)
    return { name: 'leds.effect', args: { name: effect, ...effectColors(effect, screenColor, light, maxMa), speed, seconds } };
  if (off === true) return set(ledsOff);
  if (pixels !== undefined) {
    return set(
      limitedPixels(
        pixels.map((pixel) => ledColor(parseColor(pixel), light)),
        maxMa,
      ),
    );
  }
  // As if the bar were full: its LEDs do not become darker as it grows.
  if (bar !== undefined) return set(limitedColors(ledBar(screenColor, bar, light), maxMa));
  const [all = '#000000'] = limitedColors([ledColor(screenColor, light)], maxMa);
  return set(ledsOff.map(() => all));
}

function set(pixels: readonly string[]): RobotCommand {
  return { name: 'leds.set', args: { pixels: [...pixels] } };
}

function effectColors(effect: string, screenColor: string, light: number, maxMa: number): Record<string, unknown> {
  if (effect === 'off') return {};
  const [color] = limitedColors([ledColor(screenColor, light)], maxMa);
  if (effect !== 'rainbow') return { color };
  const palette = rainbowColors.map((each) => ledColor(each, light));
  return { color, palette: limitedColors(palette, maxMa) };
}
