/** Each box is a function, as wide as its share of the time, below its caller. */
import { escaped } from './escaped.js';

export interface CpuProfile {
  /** Lines and columns count from 0. */
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber?: number; columnNumber?: number }; children?: number[] }[];
  samples: number[];
  /** µs before each sample. */
  timeDeltas: number[];
}

export interface Flame {
  name: string;
  where: string;
  us: number;
  callees: Flame[];
}

const width = 1200;
const rowHeight = 16;
const narrowest = 0.002;
const idle = new Set(['(idle)', '(program)']);

/** Same functions of the same caller are merged, idle time is omitted. */
export function flameOf({ nodes, samples, timeDeltas }: CpuProfile): Flame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const selfUs = new Map<number, number>();
  for (const [i, id] of samples.entries()) selfUs.set(id, (selfUs.get(id) ?? 0) + timeDeltas[i]!);

  function flame(ids: readonly number[]): Flame {
    const { functionName, url } = byId.get(ids[0]!)!.callFrame;
    const groups = new Map<string, number[]>();
    for (const id of ids.flatMap((each) => byId.get(each)!.children ?? [])) {
      const { callFrame } = byId.get(id)!;
      if (idle.has(callFrame.functionName)) continue;
      const key = `${callFrame.functionName} ${callFrame.url}`;
      groups.set(key, [...(groups.get(key) ?? []), id]);
    }
    const callees = [...groups.values()].map(flame).toSorted((a, b) => b.us - a.us);
    const us = ids.reduce((sum, id) => sum + (selfUs.get(id) ?? 0), 0) + callees.reduce((sum, callee) => sum + callee.us, 0);
    return { name: functionName || '(anonymous)', where: whereOf(url), us, callees };
  }
  return flame([nodes[0]!.id]);
}

export function flameSvg(title: string, root: Flame): string {
  const boxes: string[] = [];
  const deepest = draw(root, 0, 0);
  const height = 40 + (deepest + 1) * rowHeight;

  function draw(flame: Flame, x: number, depth: number): number {
    const share = flame.us / root.us;
    if (share < narrowest) return depth - 1;
    boxes.push(box(flame, x * width, depth, share));
    let at = x;
    let deepestBelow = depth;
    for (const callee of flame.callees) {
      deepestBelow = Math.max(deepestBelow, draw(callee, at, depth + 1));
      at += callee.us / root.us;
    }
    return deepestBelow;
  }

  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="#0f172a">\n` +
    `<rect width="${width}" height="${height}" fill="#ffffff"/>\n<text x="8" y="20" font-size="15" font-weight="bold">${escaped(title)}</text>\n` +
    `${boxes.join('\n')}\n</svg>\n`
  );
}

function box({ name, where }: Flame, x: number, depth: number, share: number): string {
  const y = 34 + depth * rowHeight;
  const wide = share * width;
  const room = Math.floor((wide - 6) / 6);
  const label = `${name} ${where}`;
  const text = room < 3 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label.slice(0, room))}</text>`;
  return `<g><title>${escaped(label)}: ${(share * 100).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colorOf(where)}"/>${text}</g>`;
}

function whereOf(url: string): string {
  const pkg = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (pkg !== undefined) return pkg;
  if (url.startsWith('node:')) return url.replace(/^node:internal\//, 'node:');
  return /\/((?:services|packages)\/[^/]+)\/(?:dist|src)\/(.+)\.[jt]s$/.exec(url)?.slice(1).join('/') ?? '';
}

function colorOf(where: string): string {
  if (/^(?:services|packages)\//.test(where)) return '#fdba74';
  return where === '' || where.startsWith('node:') ? '#cbd5e1' : '#93c5fd';
}
