/** Finds the source modules of functions in a bundled service, by the source map beside the bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import type { CpuProfile } from './flame.js';

type Frame = CpuProfile['nodes'][number]['callFrame'];

export function withSources({ nodes, ...samples }: CpuProfile): CpuProfile {
  const maps = new Map<string, SourceMap | null>();
  const sourceOf = (frame: Frame): string => {
    if (!frame.url.startsWith('file:')) return frame.url;
    if (!maps.has(frame.url)) maps.set(frame.url, mapOf(frame.url));
    const entry = maps.get(frame.url)?.findEntry(frame.lineNumber ?? 0, frame.columnNumber ?? 0);
    return entry !== undefined && 'originalSource' in entry ? new URL(entry.originalSource, frame.url).href : frame.url;
  };
  return { ...samples, nodes: nodes.map((node) => ({ ...node, callFrame: { ...node.callFrame, url: sourceOf(node.callFrame) } })) };
}

function mapOf(url: string): SourceMap | null {
  const file = new URL(`${url}.map`);
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload) : null;
}
