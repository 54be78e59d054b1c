/** The template engine of this machine; tests that render are skipped without one. */
import type { Context } from 'mocha';
import { skipTest } from '@perch/testkit';
import { findTemplateEngine, type TemplateEngine } from '../src/template-engine.ts';

/** Skips the running test or suite, with the reason, unless templates can be rendered. */
export function requireEngine(context: Context): TemplateEngine {
  const found = findTemplateEngine(process.env);
  if ('missing' in found) skipTest(context, `charts cannot be rendered: ${found.missing}`);
  return found;
}
