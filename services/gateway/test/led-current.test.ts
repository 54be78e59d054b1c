import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ledColor, currentMa, ledMaDefault, limitedColors, limitedPixels } from '../src/media/led-color.js';

const duties = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
const all = (color: string): string[] => Array.from({ length: 12 }, () => ledColor(color));
const screenColors = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('the current of the LEDs', () => {
  it('counts 20 mA for each channel at full duty', () => {
    assert.equal(currentMa(['#ff0000']), 20);
    assert.equal(currentMa(Array.from({ length: 12 }, () => '#ffffff')), 720);
  });

  it('stays within the limit for any colours and any limit', () => {
    fc.assert(
      fc.property(fc.array(screenColors, { minLength: 12, maxLength: 12 }), fc.integer({ min: 50, max: 720 }), (colors, maxMa) => {
        assert.ok(
          currentMa(
            limitedPixels(
              colors.map((color) => ledColor(color)),
              maxMa,
            ),
          ) <= maxMa,
        );
        for (const color of limitedColors(
          colors.map((each) => ledColor(each)),
          maxMa,
        ))
          assert.ok(12 * currentMa([color]) <= maxMa);
      }),
    );
    assert.ok(currentMa(limitedPixels(all('#ffffff'), ledMaDefault)) > 0.98 * ledMaDefault, 'white uses the limit');
  });

  it('leaves colours as they are up to 60 % of the limit, such as all LEDs in red', () => {
    assert.deepEqual(limitedPixels(all('#ff0000'), ledMaDefault), all('#ff0000'));
    assert.deepEqual(limitedPixels(all('#808080'), ledMaDefault), all('#808080'));
    assert.deepEqual(limitedPixels(all('#ffffff'), 720), all('#ffffff'));
  });

  it('keeps greys distinct up to white, and the hue of a colour', () => {
    const greys = Array.from({ length: 16 }, (_, i) => (i * 17).toString(16).padStart(2, '0')).map(
      (hex) => limitedPixels(all(`#${hex}${hex}${hex}`), ledMaDefault)[0]!,
    );
    for (const [i, grey] of greys.entries())
      if (i > 0)
        assert.ok(
          duties(grey).every((duty, at) => duty > duties(greys[i - 1]!)[at]!),
          grey,
        );
    const yellow = ledColor('#ffcc00');
    const [limited] = limitedPixels(all('#ffcc00'), ledMaDefault);
    assert.ok(duties(limited!)[0]! < duties(yellow)[0]!);
    assert.ok(Math.abs(duties(limited!)[1]! / duties(limited!)[0]! - duties(yellow)[1]! / duties(yellow)[0]!) < 0.01);
  });
});
