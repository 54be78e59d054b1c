import { graphemes, isEmoji, textEms, tidyText } from './graphemes.js';
import { iconBox } from './icon-box.js';
import { layoutNotes } from './layout-notes.js';
import { gap, screen, type Box, type Rect, type TappableScene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

export type MenuItem = string | { id?: string; label?: string; image?: string; icon?: string };

export interface MenuArgs {
  title?: string;
  items: readonly MenuItem[];
  lang?: string;
}

const captionMin = 16;
const iconMax = 96;

const rows: Record<number, number[]> = { 2: [2], 3: [3], 4: [2, 2], 5: [3, 2], 6: [3, 3] };

/**
 * Returns the scene and targets of a menu; target i is the drawn rectangle of item i's tile.
 * In every layout the points (60,170) and (260,170) are inside a tile.
 * If a label begins with an emoji and the item has no picture, the emoji is shown as the picture.
 * @param uploads sha256 of item i's decoded picture, or null
 */
export function menuScene(args: MenuArgs, uploads: readonly (string | null)[]): TappableScene {
  const title = tidyText(args.title ?? '');
  const lang = args.lang === undefined ? {} : { lang: args.lang };
  const top = title === '' ? gap : 42;
  const tiles = tileRects(args.items.length, top);
  const boxes: Box[] = textBox({ x: 12, y: 3, w: screen.w - 24, h: 38 }, title, {
    color: theme.blue,
    sizeMax: 23,
    sizeMin: 16,
    linesMax: 2,
    name: 'title',
    ...lang,
  });
  tiles.forEach((rect, i) => {
    const item = args.items[i] ?? '';
    const label = tidyText(typeof item === 'string' ? item : (item.label ?? ''));
    boxes.push({ kind: 'fill', ...rect, color: theme.tile, radius: 14, border: { color: theme.tileEdge, width: 2 } });
    const own = { name: labelPath(item, i), ...lang };
    const icon = typeof item === 'string' ? undefined : item.icon;
    boxes.push(...(icon === undefined ? tileBoxes(rect, label, uploads[i] ?? null, own) : iconTileBoxes(rect, label, icon, own)));
  });
  const labels = args.items.map((item, i) => [labelPath(item, i), typeof item === 'string' ? item : item.label] as const);
  return {
    scene: {
      w: screen.w,
      h: screen.h,
      background: theme.background,
      boxes,
      ...layoutNotes(Object.fromEntries([['title', args.title] as const, ...labels])),
    },
    targets: tiles.map((rect) => ({ shape: 'rect', ...rect })),
  };
}

function labelPath(item: MenuItem, i: number): string {
  return typeof item === 'string' ? `items[${i}]` : `items[${i}].label`;
}

function tileBoxes(tile: Rect, label: string, upload: string | null, own: { name: string; lang?: string }): Box[] {
  const pad = 6;
  const inside = { x: tile.x + pad, y: tile.y + pad, w: tile.w - 2 * pad, h: tile.h - 2 * pad };
  const [first = '', ...rest] = graphemes(label);
  const below = upload === null ? rest.join('').trim() : label;
  const pictured = upload !== null || isEmoji(first);
  if (!pictured) return textBox(inside, label, { color: theme.text, sizeMax: 30, sizeMin: 20, linesMax: 6, group: 'labels', ...own });

  const labelHeight = below === '' ? 0 : captionHeight(tile, below);
  const picture = { ...inside, h: inside.h - labelHeight };
  const boxes: Box[] =
    upload === null
      ? textBox(picture, first, { color: theme.text, sizeMax: 84, sizeMin: 20, linesMax: 1, name: own.name })
      : [{ kind: 'image', ...picture, h: labelHeight === 0 ? picture.h : picture.h - 2, upload, fit: 'contain', radius: 8, backing: theme.backing }];
  return [...boxes, ...captionBoxes(tile, below, labelHeight, own)];
}

function iconTileBoxes(tile: Rect, label: string, icon: string, own: { name: string; lang?: string }): Box[] {
  const pad = 10;
  const labelHeight = label === '' ? 0 : captionHeight(tile, label);
  const area = { x: tile.x + pad, y: tile.y + pad, w: tile.w - 2 * pad, h: tile.h - 2 * pad - labelHeight };
  return [iconBox(area, icon, theme.text, iconMax), ...captionBoxes(tile, label, labelHeight, own)];
}

function captionBoxes(tile: Rect, caption: string, h: number, own: { name: string; lang?: string }): Box[] {
  return textBox({ x: tile.x + 5, y: tile.y + tile.h - h - 5, w: tile.w - 10, h: h + 1 }, caption, {
    color: theme.text,
    sizeMax: 24,
    sizeMin: captionMin,
    linesMax: 2,
    group: 'captions',
    ...own,
  });
}

/** Returns the height of a caption: of two lines where it does not fit into one. */
function captionHeight(tile: Rect, caption: string): number {
  const lines = textEms(caption) * captionMin > tile.w - 10 ? 2 : 1;
  return Math.min(48, Math.max(lines === 1 ? 26 : 42, Math.round(tile.h * 0.27)));
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
