/** Hides the fonts of this machine from Skia; imported before anything that loads it. Pictures must not depend on them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'perch-no-fonts-'));
const file = join(folder, 'fonts.conf');
writeFileSync(file, `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><cachedir>${folder}</cachedir></fontconfig>`);
process.env['FONTCONFIG_FILE'] = file;
