/** Writes the contact sheets of the gallery into docs/gallery, or into the folder given: `npm run gallery [-- FOLDER]`. */
import '../no-host-fonts.js';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { drawSheet } from '../gallery/sheet.js';
import { sheets } from '../gallery/sheets.js';
import { rendererFolder } from './fonts.js';

const folder = process.argv[2] === undefined ? join(rendererFolder, '../../docs/gallery') : resolve(process.argv[2]);
mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) if (file.endsWith('.png')) rmSync(join(folder, file));
const lines: string[] = [];
for (const [name, scenes] of Object.entries(sheets)) {
  const began = performance.now();
  const bytes = await (await drawSheet(scenes)).encode('png');
  writeFileSync(join(folder, `${name}.png`), bytes);
  lines.push(`## ${name.replaceAll('-', ' ')}`, '', `![${name}](${name}.png)`, '');
  process.stdout.write(`${name}: ${scenes.length} scenes, ${Math.round(bytes.length / 1000)} kB, ${Math.round(performance.now() - began)} ms\n`);
}
writeFileSync(join(folder, 'README.md'), `${[head(), '', ...lines].join('\n').trim()}\n`);

function head(): string {
  const count = Object.values(sheets).flat().length;
  return `# Gallery

${count} scenes as the renderer draws them, written by \`npm run gallery\`. A test compares each with what the renderer draws now (\`services/renderer/test/gallery.test.ts\`, with pixelmatch): at most 0.1 % of the pixels of a scene may differ by more than a tenth of the way from black to white; pixels that differ by anti-aliasing alone do not count. A change that is meant is committed with the new sheets.`;
}
