import type { Context } from 'mocha';
import { skipTest } from '@perch/testkit';
import { findTemplateEngine, type TemplateEngine } from '../src/template-engine.ts';

/** Skips with the reason. */
export function requireEngine(context: Context): TemplateEngine {
  const found = findTemplateEngine(process.env);
  if ('missing' in found) skipTest(context, `charts cannot be rendered: ${found.missing}`);
  return found;
}
