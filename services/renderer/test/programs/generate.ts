/** Writes fonts/coverage.json (the characters of each font file, from its cmap), the icons' paths and tags, and licences below docs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { charactersOf, copyrightOf, rangesOf } from './characters.js';
import { pathOf, rendererFolder, shippedFiles } from './fonts.js';
import { iconPathsFile, iconTagsFile, lucideLicence, lucideVersion } from './icons.js';

const files = shippedFiles.map(({ group, path, bold }) => {
  const codes = charactersOf(path);
  // A character that only one weight has would be drawn by another font in the other.
  const inBold = bold === undefined ? null : new Set(charactersOf(bold));
  const both = inBold === null ? codes : codes.filter((code) => inBold.has(code));
  return { group, path, ...(bold === undefined ? {} : { bold }), ranges: rangesOf(both) };
});
writeFileSync(join(rendererFolder, 'fonts/coverage.json'), `[\n${files.map((file) => JSON.stringify(file)).join(',\n')}\n]\n`);

writeFileSync(join(rendererFolder, '../../docs/third-party-fonts.md'), noticesPage());

writeFileSync(join(rendererFolder, 'fonts/icons.json'), iconPathsFile());
writeFileSync(join(rendererFolder, '../../packages/schema/src/values/icon-tags.generated.ts'), iconTagsFile());
writeFileSync(
  join(rendererFolder, '../../docs/third-party-icons.md'),
  [
    '# Icons of others',
    '',
    `\`icon\` on \`show\`, \`ask\` and \`menu\` draws the icons of [Lucide](https://lucide.dev), from \`lucide-static\` ${lucideVersion}. The renderer has their paths in \`services/renderer/fonts/icons.json\`, the gateway their names and tags. \`npx pnpm@10.34.9 -r run generate\` writes all of these, and this page.`,
    '',
    '```text',
    lucideLicence.trim(),
    '```',
    '',
  ].join('\n'),
);

function noticesPage(): string {
  const names = [...new Set(shippedFiles.filter(({ path }) => path.startsWith('@')).map(({ path }) => path.split('/').slice(0, 2).join('/')))];
  const rows = names.map((name) => {
    const { version } = JSON.parse(readFileSync(pathOf(`${name}/package.json`), 'utf8')) as { version: string };
    // The licence file of some packages names the publisher instead of the copyright holder.
    const copyright = copyrightOf(shippedFiles.find(({ path }) => path.startsWith(`${name}/`))?.path ?? '');
    return `| \`${name}\` | ${version} | ${copyright} | OFL-1.1 |`;
  });
  const licence = readFileSync(join(rendererFolder, 'fonts/OFL.txt'), 'utf8');
  return [
    '# Fonts of others',
    '',
    'The renderer draws with these fonts and no others; a font of the machine is never used. `npx pnpm@10.34.9 -r run generate` writes this page.',
    '',
    '| package or file | version | copyright | licence |',
    '|---|---|---|---|',
    ...rows,
    `| \`services/renderer/fonts/han-*.woff2\`, cut from Noto Sans SC and TC (\`@expo-google-fonts/noto-sans-sc\`, \`-tc\`) | 0.4.3 | ${copyrightOf('fonts/han-sc-400.woff2')} | OFL-1.1 |`,
    '| `services/renderer/fonts/emoji/*.svg`, four pictures of [Noto Emoji](https://github.com/googlefonts/noto-emoji) (from `@iconify-json/noto`) | 1.2.9 | Google Inc | [Apache-2.0](../LICENSE) |',
    '',
    '## SIL Open Font License 1.1',
    '',
    '```text',
    licence.trim(),
    '```',
    '',
  ].join('\n');
}
