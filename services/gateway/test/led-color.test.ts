import assert from 'node:assert/strict';
import { ledBar, ledColor, ledsOff, rainbowPalette } from '../src/media/led-color.js';

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
    assert.equal(new Set(rainbowPalette).size, 6);
  });
});
