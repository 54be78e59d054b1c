import { ledLights } from './led-effects.js';
import { screenColor } from './led-light.js';
import type { LedLooks } from './looks.js';
import { ledPlace } from './shape.js';

/** The lenses, in the plane of the base's top. Their light is drawn on a canvas. `data-color` is the set colour, or one of a running effect. */
export function Leds({ leds }: { leds: LedLooks }) {
  return ledLights(leds, 0, true).map((light, index) => {
    const { x, y } = ledPlace(index);
    return (
      <rect key={index} className="led-lens" data-led={index} data-color={screenColor(light)} x={x - 7} y={y - 15} width={14} height={30} rx={7} />
    );
  });
}
