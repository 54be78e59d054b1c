/** Generates `src/actions/actions.generated.ts`, from which the flags of the actions are built. `generate.ts` writes it; a test compares it. */
import { actions, compounds } from '@perch/schema';

export function generatedActions(): string {
  const described = [...actions, ...compounds].map(({ name, summary, description, args, waits }) => ({ name, summary, description, waits, args }));
  return `/** Generated from the schemas of the service by \`pnpm run generate\`; a test compares it. */
import type { ActionSchema } from './action-schema.js';

/** Copied here because loading the schemas' package takes longer than most calls. */
export const actions: readonly ActionSchema[] = ${JSON.stringify(described, null, 2)};
`;
}
