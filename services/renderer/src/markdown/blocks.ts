/** Parses Markdown into the blocks that a card can draw: text with bold and code, list items, code blocks and tables. Anything else becomes its text. */
import { hasInk } from '@perch/schema/plain';
import type { Token, Tokens, marked } from 'marked';

export interface Span {
  text: string;
  bold: boolean;
  code: boolean;
}

export interface TextBlock {
  kind: 'text';
  spans: Span[];
  /** Levels of lists and quotes. */
  indent: number;
  marker?: string;
  /** Follows a line break inside its paragraph. */
  continues: boolean;
}

export interface CodeBlock {
  kind: 'code';
  lines: string[];
}

export type CellAlign = 'start' | 'left' | 'center' | 'right';

export interface TableBlock {
  kind: 'table';
  /** The first row is the header. */
  rows: Span[][][];
  aligns: CellAlign[];
  cut: boolean;
}

export type Block = TextBlock | CodeBlock | TableBlock;

const tableRowsMax = 5;
const indentMax = 3;

let loaded: typeof marked | undefined;

export async function loadMarkdown(): Promise<void> {
  loaded ??= (await import('marked')).marked;
}

/** Returns at least one block with ink, if the text has any: a text without content in Markdown's sense, such as `***`, is returned as it is. */
export function blocksOf(text: string): Block[] {
  if (loaded === undefined) throw new Error('Markdown was not loaded');
  const blocks: Block[] = [];
  addBlocks(loaded.lexer(text, { gfm: true, breaks: true }), 0, blocks);
  const shown = blocks.filter((block) => textsOf(block).some(hasInk));
  return shown.length > 0 ? shown : text.split('\n').map((line): Block => textBlock([plain(line)], 0, false));
}

function textsOf(block: Block): string[] {
  if (block.kind === 'code') return block.lines;
  const spans = block.kind === 'text' ? block.spans : block.rows.flat(2);
  return spans.map(({ text }) => text);
}

function addBlocks(tokens: readonly Token[], indent: number, blocks: Block[]): void {
  for (const token of tokens) addBlock(token, indent, blocks);
}

function addBlock(token: Tokens.Generic, indent: number, blocks: Block[]): void {
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
    case 'checkbox':
      return;
    case 'list':
      return addList(token as Tokens.List, indent, blocks);
    case 'code':
      blocks.push({ kind: 'code', lines: (token as Tokens.Code).text.split('\n') });
      return;
    case 'table':
      blocks.push(tableOf(token as Tokens.Table));
      return;
    case 'blockquote':
      return addBlocks(token.tokens ?? [], Math.min(indentMax, indent + 1), blocks);
    default:
      return addText(
        token.tokens === undefined ? [plain(decoded(token.type === 'text' ? String(token['text']) : token.raw.trim()))] : spansOf(token.tokens),
        token.type === 'heading',
        indent,
        blocks,
      );
  }
}

function addText(spans: readonly Span[], bold: boolean, indent: number, blocks: Block[]): void {
  linesOf(spans.map((span) => (bold ? { ...span, bold } : span))).forEach((line, i) => blocks.push(textBlock(line, indent, i > 0)));
}

function addList({ items, ordered, start }: Tokens.List, indent: number, blocks: Block[]): void {
  const inner = Math.min(indentMax, indent + 1);
  items.forEach((item, i) => {
    const marker = item.task ? (item.checked === true ? '☑' : '☐') : ordered ? `${Number(start === '' ? 1 : start) + i}.` : '•';
    const first = blocks.length;
    addBlocks(item.tokens, inner, blocks);
    const opening = blocks[first];
    if (opening?.kind === 'text' && opening.marker === undefined) opening.marker = marker;
    else blocks.splice(first, 0, { ...textBlock([plain('')], inner, false), marker });
  });
}

function tableOf({ header, rows, align }: Tokens.Table): TableBlock {
  const spans = (cell: Tokens.TableCell, bold: boolean): Span[] =>
    spansOf(cell.tokens).map((span) => ({ ...span, text: span.text.replaceAll('\n', ' '), bold: bold || span.bold }));
  return {
    kind: 'table',
    rows: [header.map((cell) => spans(cell, true)), ...rows.slice(0, tableRowsMax).map((row) => row.map((cell) => spans(cell, false)))],
    aligns: align.map((side) => side ?? 'start'),
    cut: rows.length > tableRowsMax,
  };
}

function spansOf(tokens: readonly Token[], bold = false): Span[] {
  return (tokens as Tokens.Generic[]).flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return spansOf(token.tokens ?? [], true);
      case 'codespan':
        return [{ text: String(token['text']), bold, code: true }];
      case 'br':
        return [plain('\n')];
      case 'html':
        return [plain(/^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : token.raw)];
      case 'image':
      case 'escape':
        return [{ text: String(token['text']), bold, code: false }];
      case 'checkbox':
        return [];
      default:
        return token.tokens === undefined ? [{ text: decoded(String(token['text'] ?? token.raw)), bold, code: false }] : spansOf(token.tokens, bold);
    }
  });
}

/** Splits spans at their line breaks. Soft hyphens are removed: a line may end at any syllable. */
function linesOf(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    span.text
      .replaceAll('\u00ad', '')
      .split('\n')
      .forEach((text, i) => {
        if (i > 0) lines.push([]);
        if (text !== '') lines.at(-1)?.push({ ...span, text });
      });
  }
  return lines;
}

function textBlock(spans: Span[], indent: number, continues: boolean): TextBlock {
  return { kind: 'text', spans, indent, continues };
}

function plain(text: string): Span {
  return { text, bold: false, code: false };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** The lexer leaves entities as they are; they are meant for HTML. */
function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => (name === '#39' ? "'" : (entities[name] ?? whole)));
}
