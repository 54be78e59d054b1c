/**
 * Writes fonts/han-{sc,tc}-{400,700}.woff2: the characters of GB2312 and Big5 that the packages' slices of Noto Sans SC and TC lack, cut from the whole
 * fonts. The whole fonts are 190 MB in npm and therefore no dependencies: unpack @expo-google-fonts/noto-sans-sc and -tc (`npm pack`), then
 * `tsx --conditions=source test/programs/write-han.ts FOLDER_OF_SC FOLDER_OF_TC`, then `generate`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import subsetFont from 'subset-font';
import { charactersOf } from './characters.js';
import { big5, gb2312 } from './charsets.js';
import { rendererFolder, shippedFiles } from './fonts.js';

const [sc = '', tc = ''] = process.argv.slice(2);

for (const [group, folder, name, charset] of [
  ['sc', sc, 'NotoSansSC', gb2312()],
  ['tc', tc, 'NotoSansTC', big5()],
] as const) {
  const has = new Set(
    shippedFiles.filter((file) => file.group === group && !file.path.startsWith('fonts/')).flatMap(({ path }) => charactersOf(path)),
  );
  const lacking = charset.filter((code) => code > 0x2e7f && !has.has(code));
  for (const [weight, style] of [
    [400, '400Regular'],
    [700, '700Bold'],
  ] as const) {
    const whole = readFileSync(join(folder, style, `${name}_${style}.ttf`));
    const cut = await subsetFont(whole, String.fromCodePoint(...lacking), { targetFormat: 'woff2' });
    writeFileSync(join(rendererFolder, `fonts/han-${group}-${weight}.woff2`), cut);
    process.stdout.write(`han-${group}-${weight}: ${lacking.length} characters, ${cut.length} bytes\n`);
  }
}
