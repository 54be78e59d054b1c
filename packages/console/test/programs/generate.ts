/** Writes the list of the page's texts: `npx pnpm@10.34.9 -r run generate`. */
import { writeFileSync } from 'node:fs';
import { pageTextsFile, pageTextsPage } from './page-texts.js';

writeFileSync(pageTextsFile, pageTextsPage());
