import { writeFile } from 'node:fs/promises';
import { generatedActions } from './generated.js';

await writeFile(new URL('../../src/actions/actions.generated.ts', import.meta.url), generatedActions());
