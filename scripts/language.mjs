/** `node scripts/language.mjs [--list] [FOLDER…]`: fails if many comments or test titles open with a word that hides the actor. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './files-below.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const mostShare = 0.03;
const commentOpening = /^(?:What|Who|Of|As many|So many)\b/;
const titleOpening = /^(?:is|are|what|of|that|nor|but|where|and)\b/i;
const code = /\.(?:ts|tsx|mjs|cjs|js|lua|py|css)$/;

const args = process.argv.slice(2);
const list = args.includes('--list');
const folders = args.filter((arg) => !arg.startsWith('--'));
const foreign = /^(?:\..+|node_modules|dist|coverage)$/;
const files = filesBelow(folders.length > 0 ? folders : ['.'], (path) => !foreign.test(basename(path))).filter(
  (file) => code.test(file) && !file.includes('generated'),
);

const comments = [];
const titles = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (const comment of commentsOf(file, text)) comments.push({ file, text: comment });
  if (/\.test\.tsx?$/.test(file))
    for (const [, , title] of text.matchAll(/\bit(?:\.\w+)?\(\s*(['"`])((?:(?!\1).)*)\1/g)) titles.push({ file, text: title });
}

const failed = [judge('comments', comments, commentOpening), judge('test titles', titles, titleOpening)].includes(false);
process.exitCode = failed ? 1 : 0;

function judge(name, texts, opening) {
  const found = texts.filter(({ text }) => opening.test(text));
  const share = texts.length === 0 ? 0 : found.length / texts.length;
  if (list || share >= mostShare) for (const { file, text } of found) process.stdout.write(`${file}: ${text.slice(0, 120)}\n`);
  process.stdout.write(`language: ${found.length} of ${texts.length} ${name} (${(share * 100).toFixed(1)} %) open with ${opening.source}\n`);
  return share < mostShare;
}

/** Lines of `//` or `--` that follow one another are one comment. */
function commentsOf(file, text) {
  if (file.endsWith('.py')) return [...text.matchAll(/(?:^|\n)[ \t]*#[ \t]*([^\n]+)|"""\s*([^\n"]+)/g)].map(([, line, doc]) => line ?? doc);
  const mark = file.endsWith('.lua') ? '--' : '//';
  const found = [...text.matchAll(/\/\*\*?\s*(?:\*\s*)?([^\n*][^\n]*)/g)].map(([, line]) => line);
  let before = false;
  for (const line of text.split('\n')) {
    const own = line.trimStart().startsWith(mark);
    const at = own ? line.indexOf(mark) : line.search(new RegExp(`(?<=[;{,)\\]]\\s)${mark} `));
    if (at >= 0 && !(own && before)) found.push(line.slice(at + mark.length).trim());
    before = own;
  }
  return found;
}
