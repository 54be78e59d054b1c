import { graphemes, isEmoji, tidyText } from './graphemes.js';
import { gap, screen, type Box, type Rect, type TappableScene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

export type MenuItem = string | { id?: string; label?: string; image?: string };

export interface MenuArgs {
  title?: string;
  /** 2 to 6 items. */
  items: readonly MenuItem[];
}

/** Tiles in each row, by number of items. */
const rows: Record<number, number[]> = { 2: [2], 3: [3], 4: [2, 2], 5: [3, 2], 6: [3, 3] };

/**
 * Returns the scene and targets of a menu; target i is the drawn rectangle of item i's tile.
 * In every layout the points (60,170) and (260,170) are inside a tile.
 * If a label begins with an emoji and the item has no picture, the emoji is shown as the picture.
 * @param uploads sha256 of item i's decoded picture, or null
 */
export function menuScene(args: MenuArgs, uploads: readonly (string | null)[]): TappableScene {
  const title = tidyText(args.title ?? '');
  const top = title === '' ? gap : 42;
  const tiles = tileRects(args.items.length, top);
  const boxes: Box[] = textBox({ x: 12, y: 4, w: screen.w - 24, h: 35 }, title, { color: theme.blue, sizeMax: 23, sizeMin: 13, linesMax: 2 });
  tiles.forEach((rect, i) => {
    const item = args.items[i] ?? '';
    const label = tidyText(typeof item === 'string' ? item : (item.label ?? ''));
    boxes.push({ kind: 'fill', ...rect, color: theme.tile, radius: 14, border: { color: theme.tileEdge, width: 2 } });
    boxes.push(...tileBoxes(rect, label, uploads[i] ?? null));
  });
  return {
    scene: { w: screen.w, h: screen.h, background: theme.background, boxes },
    targets: tiles.map((rect) => ({ shape: 'rect', ...rect })),
  };
}

function tileBoxes(tile: Rect, label: string, upload: string | null): Box[] {
  const pad = 6;
  const inside = { x: tile.x + pad, y: tile.y + pad, w: tile.w - 2 * pad, h: tile.h - 2 * pad };
  const [first = '', ...rest] = graphemes(label);
  const below = upload === null ? rest.join('').trim() : label;
  const pictured = upload !== null || isEmoji(first);
  if (!pictured) return textBox(inside, label, { color: theme.text, sizeMax: 30, sizeMin: 12, linesMax: 6, group: 'labels' });

  const labelHeight = below === '' ? 0 : Math.min(48, Math.max(26, Math.round(tile.h * 0.27)));
  const picture = { ...inside, h: inside.h - labelHeight };
  const boxes: Box[] =
    upload === null
      ? textBox(picture, first, { color: theme.text, sizeMax: 84, sizeMin: 12, linesMax: 1 })
      : [{ kind: 'image', ...picture, h: labelHeight === 0 ? picture.h : picture.h - 2, upload, fit: 'contain', radius: 8 }];
  boxes.push(
    ...textBox({ x: tile.x + 5, y: tile.y + tile.h - labelHeight - 5, w: tile.w - 10, h: labelHeight + 1 }, below, {
      color: theme.text,
      sizeMax: 24,
      sizeMin: 11,
      linesMax: 2,
      group: 'captions',
    }),
  );
  return boxes;
}

function tileRects(count: number, top: number): Rect[] {
  const columnsByRow = rows[count] ?? [2];
  const h = Math.floor((screen.h - gap - top - gap * (columnsByRow.length - 1)) / columnsByRow.length);
  return columnsByRow.flatMap((columns, row) => {
    const w = Math.floor((screen.w - gap * (columns + 1)) / columns);
    const left = Math.floor((screen.w - columns * w - gap * (columns - 1)) / 2);
    return Array.from({ length: columns }, (_, i) => ({ x: left + i * (w + gap), y: top + row * (h + gap), w, h }));
  });
}
