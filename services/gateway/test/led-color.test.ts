import assert from 'node:assert/strict';
import { ledBar, ledColor, ledsOff, rainbowPalette } from '../src/media/led-color.js';

const lightOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

describe('led colours', () => {
  it('black stays black and white is balanced, not equal', () => {
    assert.equal(ledColor('#000000'), '#000000');
    assert.equal(ledColor('#ffffff'), '#ffb0f0');
  });

  it('half of a screen colour is about a fifth of the light, not half of it', () => {
    const [red] = lightOf(ledColor('#800000'));
    assert.ok(red! > 50 && red! < 60, `got ${red}`);
  });

  it('more of a channel is never less light, over all 256 values', () => {
    let last = -1;
    for (let value = 0; value < 256; value++) {
      const [, green] = lightOf(ledColor(`#00${value.toString(16).padStart(2, '0')}00`));
      assert.ok(green! >= last);
      last = green!;
    }
  });

  it('a dark colour is dim and not off', () => {
    assert.deepEqual(lightOf(ledColor('#010000')), [1, 0, 0]);
  });

  it('a bar lights both strips from the screen end, equally far', () => {
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

  it('the LED where a bar ends is lit in part', () => {
    const bar = ledBar('#ffffff', 0.25);
    assert.equal(bar[0], ledColor('#ffffff'));
    assert.equal(bar[1], ledColor('#ffffff', 0.5));
    assert.equal(bar[10], bar[1]);
    assert.equal(bar[2], '#000000');
  });

  it('a third of a bar lights two LEDs, whatever floating point says', () => {
    for (let sixths = 0; sixths <= 6; sixths++) {
      const lit = ledBar('#ffffff', sixths / 6).filter((pixel) => pixel !== '#000000');
      assert.deepEqual(
        lit,
        Array.from({ length: sixths * 2 }, () => ledColor('#ffffff')),
      );
    }
  });

  it('the rainbow has six colours, all different', () => {
    assert.equal(new Set(rainbowPalette).size, 6);
  });
});
