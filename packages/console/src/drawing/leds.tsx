/** The 12 LEDs on the base, in their perceived brightness and colour. */
import { ledLights, moves } from './led-effects.js';
import { brightness, screenColor } from './led-light.js';
import type { LedLooks } from './looks.js';
import { ledPlace } from './shape.js';
import { useTime, useReducedMotion } from './use-motion.js';

/** Drawn in the plane of the base's top. */
export function Leds({ leds, on }: { leds: LedLooks; on: boolean }) {
  const still = useReducedMotion();
  const ms = useTime(on && !still && moves(leds));
  const lights = ledLights(on ? leds : { pixels: null, effect: null }, ms, still);
  return (
    <>
      <g className="led-glow">
        {lights.map((light, index) => {
          const { x, y } = ledPlace(index);
          return <circle key={index} cx={x} cy={y} r={34} fill={screenColor(light)} opacity={0.75 * brightness(light)} />;
        })}
      </g>
      {lights.map((light, index) => {
        const { x, y } = ledPlace(index);
        const share = brightness(light);
        return (
          <g key={index}>
            <rect className="led-lens" x={x - 7} y={y - 15} width={14} height={30} rx={7} />
            <rect
              className="led"
              data-led={index}
              data-color={screenColor(light)}
              x={x - 7}
              y={y - 15}
              width={14}
              height={30}
              rx={7}
              fill={screenColor(light)}
              opacity={Math.min(1, share * 1.6)}
            />
            <rect className="led-core" x={x - 3} y={y - 9} width={6} height={18} rx={3} opacity={0.55 * share ** 2} />
          </g>
        );
      })}
    </>
  );
}
