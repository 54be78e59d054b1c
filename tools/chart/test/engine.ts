import type { Context } from 'mocha';
import { skipTest } from '@perch/testkit';
import { findTemplateEngine, type RenderRequest, type TemplateEngine } from '../src/template-engine.ts';

const rendered = new Map<string, unknown[]>();

/** Renders equal values once: reading the YAML of the dashboards takes a second. Skips with the reason. */
export function requireEngine(context: Context): TemplateEngine {
  const found = findTemplateEngine(process.env);
  if ('missing' in found) skipTest(context, `charts cannot be rendered: ${found.missing}`);
  const render = (request: RenderRequest): unknown[] => {
    const key = JSON.stringify(request);
    const objects = rendered.get(key) ?? found.render(request);
    rendered.set(key, objects);
    return structuredClone(objects);
  };
  return { ...found, render };
}
