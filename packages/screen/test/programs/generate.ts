/** Draws docs/images/face.svg: `npx pnpm@10.34.9 -r run generate`. */
import { writeFileSync } from 'node:fs';
import { faceSheet, faceSheetFile } from '../face/face-sheet.js';

writeFileSync(faceSheetFile, faceSheet());
