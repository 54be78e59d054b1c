/** Lists every text that the web page can show, for review in one place. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'vite';

const sources = new URL('../../src/', import.meta.url);
export const pageTextsFile = fileURLToPath(new URL('../../../../docs/reference/page-texts.md', import.meta.url));

/** Attributes whose strings are not shown: classes, addresses, and what SVG draws. */
const hiddenAttributes: ReadonlySet<string> = new Set([
  ...[
    'className',
    'id',
    'name',
    'type',
    'to',
    'href',
    'rel',
    'target',
    'role',
    'slot',
    'icon',
    'look',
    'tone',
    'autoComplete',
    'inputMode',
    'placement',
    'accept',
  ],
  ...[
    'd',
    'viewBox',
    'transform',
    'points',
    'fill',
    'stroke',
    'gradientUnits',
    'preserveAspectRatio',
    'strokeLinecap',
    'strokeLinejoin',
    'orientation',
  ],
]);

/** Names of keys that handlers compare, which are not shown. */
const keyNames: ReadonlySet<string> = new Set(['Backspace', 'Delete', 'Enter']);

interface Node {
  type: string;
  start: number;
  [name: string]: unknown;
}

export function pageTextsPage(): string {
  const parts = [
    '# Texts of the web page',
    'Every text that the page can show, by source file. `{…}` stands for a value or another element. Texts of the service, such as errors and the help of arguments, come from the interface. Written by `npx pnpm@10.34.9 -r run generate`; a test compares it with the sources.',
  ];
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!/\.tsx?$/.test(file)) continue;
    const texts = [...new Set(textsOf(file, readFileSync(new URL(file, sources), 'utf8')))];
    if (texts.length > 0) parts.push(`## ${file.replaceAll('\\', '/')}`, texts.map((text) => `- ${text.replaceAll('|', '\\|')}`).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

export function textsOf(file: string, source: string): string[] {
  const found: { at: number; text: string }[] = [];
  const hidden = new Set<Node>();
  const add = (at: number, text: string): void => {
    const plain = text.replaceAll(/\s+/g, ' ').trim();
    if (plain !== '') found.push({ at, text: plain });
  };
  const hide = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node) hidden.add(node as Node);
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) child.forEach(hide);
      else hide(child);
    }
  };
  const element = (node: Node): void => {
    if (hidden.has(node) || unbrokenWord(node) !== null) return;
    const children = (node['children'] as Node[]) ?? [];
    const texts = children.filter(({ type }) => type === 'JSXText');
    if (texts.some((text) => /\p{L}/u.test(text['value'] as string))) add(node.start, children.map(inSentence).join(''));
  };
  new Visitor({
    ImportDeclaration: (node: unknown) => hide(node),
    TSLiteralType: (node: unknown) => hide(node),
    // An `Error` is a fault of the page, which says so in words of its own; errors of other classes carry what the user reads.
    ThrowStatement: (node: unknown) => {
      const { argument } = node as { argument: { type: string; callee?: { name?: unknown } } };
      if (argument.type === 'NewExpression' && argument.callee?.name === 'Error') hide(argument);
    },
    JSXAttribute: (node: unknown) => {
      const { name, value } = node as { name: { name: unknown }; value: unknown };
      if (typeof name.name === 'string' && (hiddenAttributes.has(name.name) || name.name.startsWith('data-'))) hide(value);
    },
    JSXElement: (node: unknown) => element(node as Node),
    JSXFragment: (node: unknown) => element(node as Node),
    Literal: (node: unknown) => {
      const { value, start } = node as Node;
      if (!hidden.has(node as Node) && typeof value === 'string' && isText(value)) add(start, value);
    },
    TemplateLiteral: (node: unknown) => {
      if (hidden.has(node as Node)) return;
      const { quasis, start } = node as unknown as { quasis: { value: { cooked: string | null } }[]; start: number };
      const text = quasis.map(({ value }) => value.cooked ?? '').join('{…}');
      if (isText(text.replaceAll('{…}', '')) || (!/\p{L}\(/u.test(text) && /\p{L}{2,}[,:]? \{…\}|\{…\}[,:]? \p{L}{2,}/u.test(text))) add(start, text);
    },
  }).visit(parseSync(file, source).program);
  return found.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
}

function inSentence(child: Node): string {
  if (child.type === 'JSXText') return child['value'] as string;
  const word = unbrokenWord(child);
  if (word !== null) return word;
  const { expression } = child as { expression?: Node };
  if (expression?.type === 'Literal' && expression['value'] === ' ') return ' ';
  if (expression?.type === 'JSXEmptyExpression') return '';
  return '{…}';
}

/** Returns the text of an element that only keeps a word on one line: it is part of its sentence. */
function unbrokenWord(node: Node): string | null {
  const { openingElement, children } = node as { openingElement?: { attributes: { value?: { value?: unknown } }[] }; children?: Node[] };
  const isUnbroken = openingElement?.attributes.some(({ value }) => value?.value === 'unbroken') === true;
  return isUnbroken ? (children![0]!['value'] as string) : null;
}

/** Returns whether a string looks like a text for people: it is a sentence, or begins with a capital or has several words, and is no address, path or code. */
function isText(value: string): boolean {
  const text = value.trim();
  if (keyNames.has(text)) return false;
  if (/^[\p{L}\d][^\n]* [^\n]*[.?!…]$/u.test(text)) return true;
  if (/[{}<>=#\\]|:\/\/|^[./$(]|--|^(?:Content|Last|Perch|Retry|X)-|^\p{Lu}\p{Ll}+\p{Lu}\w+$/u.test(text)) return false;
  return (
    /^\p{Lu}[\p{Ll}-]/u.test(text) ||
    /^(?:, )?\p{L}+[,;:]? \p{L}+/u.test(text) ||
    /^(?:\d+|, |\p{Extended_Pictographic}\uFE0F?) ?\p{L}{2,}/u.test(text)
  );
}
