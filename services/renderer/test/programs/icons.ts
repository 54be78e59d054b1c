import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('lucide-static/package.json'));

type Attributes = Record<string, string>;
type Nodes = Record<string, [element: string, attributes: Attributes][]>;

const nodes = read('icon-nodes.json') as Nodes;
const tags = read('tags.json') as Record<string, string[]>;
const names = Object.keys(nodes).toSorted();
const formerNames = readFormerNames();

export const lucideVersion = (read('package.json') as { version: string }).version;
export const lucideLicence = readFileSync(join(folder, 'LICENSE'), 'utf8');

/** Returns the file that the renderer reads: SVG path data by name. */
export function iconPathsFile(): string {
  return `{\n${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(pathOf(name))}`).join(',\n')}\n}\n`;
}

export function iconTagsFile(): string {
  const lines = names.map((name) => {
    const former = (formerNames.get(name) ?? []).map((alias) => alias.replaceAll('-', ' '));
    const own = [...new Set([...former, ...(tags[name] ?? [])].map(plain))].filter((tag) => tag !== '' && tag !== name);
    return own.length === 0 ? name : `${name}:${own.join(',')}`;
  });
  return `/** Icons of lucide-static ${lucideVersion}, a line each: name, tags. Written by services/renderer/test/programs/generate.ts; a test compares it. */
export const iconTags = \`
${lines.join('\n')}
\`;
`;
}

/** Returns the former names of icons, which only have a picture, by today's. They become tags, so that they are suggestions. */
function readFormerNames(): Map<string, string[]> {
  const picture = (name: string): string => readFileSync(join(folder, 'icons', `${name}.svg`), 'utf8').replace(/<!--.*?-->|class="[^"]*"/gs, '');
  const current = new Map(names.map((name) => [picture(name), name]));
  const former = new Map<string, string[]>();
  for (const file of readdirSync(join(folder, 'icons'))) {
    const alias = file.replace('.svg', '');
    const name = Object.hasOwn(nodes, alias) ? undefined : current.get(picture(alias));
    if (name !== undefined) former.set(name, [...(former.get(name) ?? []), alias]);
  }
  return former;
}

/** Removes what separates tags in the file, and what would end its text. */
function plain(tag: string): string {
  return tag
    .trim()
    .toLowerCase()
    .replace(/[:,\n`\\$]+/g, ' ')
    .trim();
}

function pathOf(name: string): string {
  return (nodes[name] ?? []).map(([element, attributes]) => subPath(name, element, attributes)).join('');
}

function subPath(name: string, element: string, attributes: Attributes): string {
  const number = (key: string, fallback = 0): number => Number(attributes[key] ?? fallback);
  const [x, y, w, h, cx, cy] = ['x', 'y', 'width', 'height', 'cx', 'cy'].map((key) => number(key)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  switch (element) {
    case 'path':
      return fromOrigin(attributes['d'] ?? '');
    case 'line':
      return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
    case 'polyline':
    case 'polygon': {
      const points = (attributes['points'] ?? '').trim().split(/[\s,]+/);
      const pairs = Array.from({ length: points.length / 2 }, (_, i) => `${points[2 * i]} ${points[2 * i + 1]}`);
      return `M${pairs.join('L')}${element === 'polygon' ? 'Z' : ''}`;
    }
    case 'circle':
      return ellipse(cx, cy, number('r'), number('r'));
    case 'ellipse':
      return ellipse(cx, cy, number('rx'), number('ry'));
    case 'rect':
      return rectangle(x, y, w, h, Math.min(number('rx', number('ry')), w / 2), Math.min(number('ry', number('rx')), h / 2));
    default:
      throw new Error(`${name} has an element ${element}, which this program cannot turn into a path`);
  }
}

/** Makes the first point absolute: it would be relative to the path before. Further pairs after a relative `m` are relative lines. */
function fromOrigin(path: string): string {
  const [, x, y, rest = ''] = /^m\s*(-?\d*\.?\d+)[\s,]*(-?\d*\.?\d+)[\s,]*(.*)$/s.exec(path) ?? [];
  return x === undefined ? path : `M${x} ${y}${/^[-.\d]/.test(rest) ? 'l' : ''}${rest}`;
}

function ellipse(cx: number, cy: number, rx: number, ry: number): string {
  return `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`;
}

function rectangle(x: number, y: number, w: number, h: number, rx: number, ry: number): string {
  if (rx === 0 || ry === 0) return `M${x} ${y}h${w}v${h}h${-w}Z`;
  const corner = (dx: number, dy: number): string => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`;
  return `M${x + rx} ${y}h${w - 2 * rx}${corner(rx, ry)}v${h - 2 * ry}${corner(-rx, ry)}h${-(w - 2 * rx)}${corner(-rx, -ry)}v${-(h - 2 * ry)}${corner(rx, -ry)}Z`;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}
