import { createRequire } from 'node:module';
import type * as SpectralCore from '@stoplight/spectral-core';
import type * as SpectralRulesets from '@stoplight/spectral-rulesets';

// CommonJS: whether an import finds its exports depends on the loader.
const require = createRequire(import.meta.url);
const { Spectral } = require('@stoplight/spectral-core') as typeof SpectralCore;
const { oas } = require('@stoplight/spectral-rulesets') as typeof SpectralRulesets;

/** Returns rule and location of each error and warning. */
export async function spectralProblems(description: object): Promise<string[]> {
  const spectral = new Spectral();
  // The two packages' types of a ruleset differ.
  spectral.setRuleset({ extends: [[oas as never, 'recommended']] });
  const found = await spectral.run(description as Record<string, unknown>);
  return found.map(({ code, path }) => `${code} ${path.join('/')}`);
}
