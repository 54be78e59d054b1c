/** `src/actions.generated.ts` as the schemas have it: what the flags of the actions are made from. `generate.ts` writes it, a test holds it against this. */
import { actions, compounds } from '@perch/schema';

export function generatedActions(): string {
  const described = [...actions, ...compounds].map(({ name, summary, description, args, waits }) => ({ name, summary, description, waits, args }));
  return `/** Generated from the schemas of the service by \`pnpm run generate\`; a test holds it against them. */
import type { ActionSchema } from './action-schema.js';

/** Without the schemas' own package, which takes longer to load than most calls last. */
export const actions: readonly ActionSchema[] = ${JSON.stringify(described, null, 2)};
`;
}
