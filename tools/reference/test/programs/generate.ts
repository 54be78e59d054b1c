/** Writes the generated pages of actions, errors and events anew: `npx pnpm run -r generate`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from '../../src/pages.js';

const reference = fileURLToPath(new URL('../../../../docs/reference', import.meta.url));
rmSync(join(reference, 'actions'), { recursive: true, force: true });
mkdirSync(join(reference, 'actions'), { recursive: true });
for (const [path, text] of referencePages()) writeFileSync(join(reference, path), text);
