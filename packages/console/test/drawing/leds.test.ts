import assert from 'node:assert/strict';
import fc from 'fast-check';
import { colorWord } from '../../src/drawing/description.js';
import { ledLights, moves } from '../../src/drawing/led-effects.js';
import { brightness, lightOf, screenColor } from '../../src/drawing/led-light.js';
import type { LedLooks } from '../../src/drawing/looks.js';

const color = '#ff4a08';
const effect = (name: string, speed = 1): LedLooks => ({ pixels: null, effect: { name, color, palette: null, speed } });

describe('drawn LEDs', () => {
  // The service converts screen colours to duties: sRGB's curve, with green and blue reduced.
  for (const [wanted, duties] of [
    ['#ffffff', '#ffb0f0'],
    ['#ff0000', '#ff0000'],
    ['#00ff00', '#00b000'],
    ['#0000ff', '#0000f0'],
    ['#808080', '#372633'],
    ['#000000', '#000000'],
  ] as const) {
    it(`draws duties ${duties} as colour ${wanted}`, () => {
      const seen = screenColor(lightOf(duties));
      for (const at of [1, 3, 5])
        assert.ok(Math.abs(Number.parseInt(seen.slice(at, at + 2), 16) - Number.parseInt(wanted.slice(at, at + 2), 16)) <= 2, seen);
    });
  }

  it('draws LEDs dark before any command', () => {
    assert.ok(ledLights({ pixels: null, effect: null }, 0).every((light) => brightness(light) === 0));
  });

  it('draws the set colours while no effect runs', () => {
    const pixels = Array.from({ length: 12 }, (_, index) => (index === 3 ? '#ff0000' : '#000000'));
    assert.deepEqual(
      ledLights({ pixels, effect: null }, 1234).map((light) => Math.round(brightness(light))),
      pixels.map((duties) => (duties === '#ff0000' ? 1 : 0)),
    );
  });

  it('flashes at most three times a second at any speed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.2, max: 100, noNaN: true }), (speed) => {
        const on = Array.from({ length: 1000 }, (_, ms) => brightness(ledLights(effect('blink', speed), 10_000 + ms)[0]!) > 0);
        const flashes = on.filter((lit, ms) => lit && on[ms - 1] === false).length;
        assert.ok(flashes <= 3, `${flashes} at speed ${speed}`);
      }),
      { numRuns: 30 },
    );
  });

  it('moves one bright spot around in a chase', () => {
    const brightest = [0, 125, 250, 375].map((ms) => {
      const lights = ledLights(effect('chase'), ms + 1).map(brightness);
      return lights.indexOf(Math.max(...lights));
    });
    assert.deepEqual(brightest, [0, 1, 2, 3]);
  });

  it('varies brightness from almost dark to full when breathing', () => {
    const levels = Array.from({ length: 36 }, (_, step) => brightness(ledLights(effect('breathe'), step * 100)[0]!));
    assert.ok(Math.min(...levels) < 0.25 && Math.max(...levels) > 0.95, String(levels));
  });

  it('draws a fixed image of an effect for reduced motion', () => {
    for (const name of ['rainbow', 'breathe', 'chase', 'blink']) {
      assert.deepEqual(ledLights(effect(name), 0, true), ledLights(effect(name), 777, true), name);
      assert.ok(moves(effect(name)));
    }
    assert.ok(!moves(effect('off')) && !moves({ pixels: null, effect: null }));
  });

  it('returns a basic name for each colour', () => {
    const words = {
      red: '#ff0000',
      orange: '#ff9500',
      yellow: '#ffe000',
      green: '#34c759',
      cyan: '#32d7e6',
      blue: '#2f80ff',
      purple: '#a040ff',
      pink: '#ff5fa2',
      white: '#ffffff',
      off: '#000000',
    };
    for (const [word, hex] of Object.entries(words)) {
      const [r, g, b] = [1, 3, 5].map((at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2) as [number, number, number];
      assert.equal(colorWord([r, g, b]), word);
    }
  });
});
