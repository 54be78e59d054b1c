import type { IconBox, Rect } from './scene.js';

/** Side of the grid on which Lucide's icons are designed, px: at its multiples, lines lie on whole pixels. */
const grid = 24;

/** Returns a square box in the middle of an area, with a whole or half multiple of the icons' grid as its side where that fits. */
export function iconBox(area: Rect, name: string, color: string, sideMax = Infinity): IconBox {
  const side = Math.floor(Math.min(area.w, area.h, sideMax));
  const even = side >= grid ? Math.floor(side / (grid / 2)) * (grid / 2) : side;
  return {
    kind: 'icon',
    x: Math.round(area.x + (area.w - even) / 2),
    y: Math.round(area.y + (area.h - even) / 2),
    w: even,
    h: even,
    name,
    color,
  };
}
