import assert from 'node:assert/strict';
import { colorNames } from '@perch/schema';
import { ledBar, ledColor, ledsOff, lightShare, rainbowColors } from '../src/media/led-color.js';

/** Returns the hue in degrees of the light of an LED, as a screen would show it; null for a grey. */
function hueOf(duties: string): number | null {
  const light = lightOf(duties).map((duty, i) => (duty / [255, 176, 240][i]!) ** (1 / 2.2));
  const [r, g, b] = light as [number, number, number];
  const [max, min] = [Math.max(...light), Math.min(...light)];
  if (max - min < 0.1 * max) return null;
  const sixth = max === r ? (g - b) / (max - min) : max === g ? 2 + (b - r) / (max - min) : 4 + (r - g) / (max - min);
  return (sixth * 60 + 360) % 360;
}

const lightOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

describe('LED colours', () => {
  it('LED colours keep black at 0 and balance the channels of white', () => {
    assert.equal(ledColor('#000000'), '#000000');
    assert.equal(ledColor('#ffffff'), '#ffb0f0');
  });

  it('LED colours convert half of a screen colour to about a fifth of the light', () => {
    const [red] = lightOf(ledColor('#800000'));
    assert.ok(red! > 50 && red! < 60, `got ${red}`);
  });

  it('LED colours increase monotonically over all 256 values of a channel', () => {
    let last = -1;
    for (let value = 0; value < 256; value++) {
      const [, green] = lightOf(ledColor(`#00${value.toString(16).padStart(2, '0')}00`));
      assert.ok(green! >= last);
      last = green!;
    }
  });

  it('LED colours keep a dark colour dim instead of off', () => {
    assert.deepEqual(lightOf(ledColor('#010000')), [1, 0, 0]);
  });

  it('LED colours light a bar on both strips equally far from the screen end', () => {
    const white = ledColor('#ffffff');
    assert.deepEqual(ledBar('#ffffff', 0), ledsOff);
    assert.deepEqual(
      ledBar('#ffffff', 1),
      Array.from({ length: 12 }, () => white),
    );
    const half = ledBar('#ffffff', 0.5);
    assert.deepEqual(
      half.map((pixel) => pixel === white),
      [true, true, true, false, false, false, false, false, false, true, true, true],
    );
    assert.deepEqual(half.slice(3, 9), ledsOff.slice(3, 9));
  });

  it('LED colours light the LED where a bar ends in part', () => {
    const bar = ledBar('#ffffff', 0.25);
    assert.equal(bar[0], ledColor('#ffffff'));
    assert.equal(bar[1], ledColor('#ffffff', 0.5));
    assert.equal(bar[10], bar[1]);
    assert.equal(bar[2], '#000000');
  });

  it('LED colours light two LEDs for a third of a bar, despite floating-point errors', () => {
    for (let sixths = 0; sixths <= 6; sixths++) {
      const lit = ledBar('#ffffff', sixths / 6).filter((pixel) => pixel !== '#000000');
      assert.deepEqual(
        lit,
        Array.from({ length: sixths * 2 }, () => ledColor('#ffffff')),
      );
    }
  });

  it('LED colours have six different rainbow colours', () => {
    assert.equal(new Set(rainbowColors.map((color) => ledColor(color))).size, 6);
  });

  it('LED colours give each name its own hue: yellow is not amber, and red has no trace of another channel', () => {
    const hues = { red: [0, 0], orange: [25, 40], yellow: [52, 64], green: [110, 130], cyan: [175, 190], blue: [235, 245], purple: [275, 300] };
    for (const [name, [from, to]] of Object.entries(hues)) {
      const hue = hueOf(ledColor(colorNames[name as keyof typeof hues]))!;
      assert.ok(hue >= from! && hue <= to!, `${name}: ${hue} degrees`);
    }
    const pink = hueOf(ledColor(colorNames.pink))!;
    assert.ok(pink > 320 && pink < 345, `pink: ${pink} degrees`);
    assert.equal(hueOf(ledColor(colorNames.white)), null);
  });

  it('LED colours keep greys in steps of 16 distinct, rising in every channel', () => {
    let last = [0, 0, 0];
    for (let value = 16; value <= 256; value += 16) {
      const hex = Math.min(255, value).toString(16).padStart(2, '0');
      const duties = lightOf(ledColor(`#${hex}${hex}${hex}`));
      assert.ok(
        duties.every((duty, i) => duty > last[i]!),
        `${hex}: ${duties.join(', ')}`,
      );
      last = duties;
    }
  });

  it('LED colours at half the brightness have about a fifth of the light, in the same hue, and at brightness 0 none', () => {
    for (const name of ['white', 'yellow', 'purple'] as const) {
      const full = lightOf(ledColor(colorNames[name]));
      const half = lightOf(ledColor(colorNames[name], lightShare(0.5)));
      for (const [i, duty] of half.entries()) assert.ok(Math.abs(duty - full[i]! * 0.214) <= 1, `${name}: ${half.join(', ')}`);
      assert.deepEqual(lightOf(ledColor(colorNames[name], lightShare(0))), [0, 0, 0]);
    }
    assert.equal(lightShare(1), 1);
  });
});
