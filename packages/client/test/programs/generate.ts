/** `pnpm run generate`: writes the files of `src` that follow from the schemas. */
import { writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated.js';

for (const [name, text] of Object.entries(await generatedFiles())) await writeFile(new URL(`../../src/${name}`, import.meta.url), text);
