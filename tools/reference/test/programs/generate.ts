/** Writes the generated folders of docs/reference anew: `npx pnpm run -r generate`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folders, referencePages } from '../../src/pages.js';

const reference = fileURLToPath(new URL('../../../../docs/reference', import.meta.url));
for (const folder of folders) {
  rmSync(join(reference, folder), { recursive: true, force: true });
  mkdirSync(join(reference, folder), { recursive: true });
}
for (const [path, text] of referencePages()) writeFileSync(join(reference, path), text);
