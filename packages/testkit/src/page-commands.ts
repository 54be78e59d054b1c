/** What the pages for operators tell them to run: queries, and commands within a line or in a block. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));

export interface PageCommand {
  /** Its path below docs. */
  page: string;
  line: number;
  /** The last heading above it. */
  section: string;
  kind: 'promql' | 'shell';
  /** A query, a command within a line, or a block of commands as a shell reads it. */
  text: string;
  isBlock: boolean;
  /** The reason that the page gives why no test runs it; null: a test does. */
  notRun: string | null;
}

/** Programs that pages name with arguments. */
const programs = new Set(
  'cat cp curl df dig docker helm journalctl kubectl ls node openssl perch promtool redis-check-rdb redis-cli redis-server sed sh systemctl'.split(
    ' ',
  ),
);
const query = /\bperch_[a-z]|\bperch:[a-z_]+:|^up\b|\bALERTS\b|^(?:absent|count|histogram_quantile|increase|max|min|rate|sum)\b.*[({]/;
/** A label of Prometheus and cookies: names that begin like a metric. A program that two words name. */
const noCommands = new Set(['docker compose', 'perch_docs', 'perch_device', 'perch_session']);
const mark = /^ \(not run by the tests: ([^()]+)\)/;
const markInBlock = /(?:^|\s)# not run by the tests: (.+)$/;

/** @param page its path below docs */
export function pageCommands(page: string): PageCommand[] {
  const found: PageCommand[] = [];
  let section = '';
  let block: { language: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of readFileSync(join(docs, page), 'utf8').split('\n').entries()) {
    const fence = /^\s*```(\w*)$/.exec(line);
    if (block !== null) {
      if (fence === null) block.lines.push(line.trimStart());
      else {
        found.push(...ofBlock(block).map((command) => ({ page, section, isBlock: true, ...command })));
        block = null;
      }
    } else if (fence !== null) block = { language: fence[1]!, line: index + 2, lines: [] };
    else {
      section = /^#+ (.+)$/.exec(line)?.[1] ?? section;
      found.push(...withinLine(line).map((command) => ({ page, section, isBlock: false, line: index + 1, ...command })));
    }
  }
  return found;
}

type OfBlock = Pick<PageCommand, 'kind' | 'text' | 'notRun' | 'line'>;

function ofBlock({ language, line, lines }: { language: string; line: number; lines: string[] }): OfBlock[] {
  if (language === 'promql') return lines.map((text, i) => ({ kind: 'promql', text, notRun: null, line: line + i }));
  if (language !== 'sh' && language !== '') return [];
  const notRun = lines.flatMap((text) => markInBlock.exec(text)?.[1] ?? [])[0] ?? null;
  return [{ kind: 'shell', text: lines.join('\n'), notRun, line }];
}

function withinLine(line: string): Pick<PageCommand, 'kind' | 'text' | 'notRun'>[] {
  return [...line.matchAll(/`([^`]+)`/g)].flatMap(({ 0: span, 1: code, index }) => {
    // A cell of a table escapes it.
    const text = line.startsWith('|') ? code!.replaceAll('\\|', '|') : code!;
    const kind = programs.has(/^(\S+) /.exec(text)?.[1] ?? '') ? 'shell' : query.test(text) ? 'promql' : null;
    return kind === null || noCommands.has(text) ? [] : [{ kind, text, notRun: mark.exec(line.slice(index + span.length))?.[1] ?? null }];
  });
}
