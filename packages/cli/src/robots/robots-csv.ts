/**
 * Robots as CSV (RFC 4180). The header names the columns, in any order; only serial (or id) is required:
 *
 *   id,name,serial,labels
 *   r-7k2m9qx4tb,Desk,SN-1,floor=2;room=r1
 */
import { labelsText, nameProblem, readLabels, serialProblem, type Labels } from '@perch/schema/plain';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

export const columns = ['id', 'name', 'serial', 'labels'] as const;
type Column = (typeof columns)[number];

/** Characters per line; one with the longest name, serial and labels has about 5,000. */
const lineCharsMax = 65_536;
const robotsMax = 100_000;

export interface RobotLine {
  line: number;
  /** '' if there is none, as is serial. */
  id: string;
  serial: string;
  /** Undefined: the file has no such column. */
  name: string | undefined;
  labels: Labels | undefined;
}

export interface LineProblem {
  line: number;
  /** Null: the problem concerns the whole line. */
  column: string | null;
  reason: string;
}

/** Excludes lines with a problem. */
export function robotsOfCsv(text: string): { robots: RobotLine[]; problems: LineProblem[] } {
  const robots: RobotLine[] = [];
  const problems: LineProblem[] = [];
  let header: Column[] | null = null;
  let last = { lines: 0, empty: 0 };
  const read = (cells: string[], { lines, empty_lines: empty }: { lines: number; empty_lines: number }): void => {
    const line = last.lines + 1 + empty - last.empty;
    last = { lines, empty };
    if (header !== null) readLine(line, cells, header, robots, problems);
    else {
      const found = columnsOf(cells);
      if ('problem' in found) throw new Unreadable(line, found.problem);
      header = found.columns;
    }
    if (robots.length > robotsMax) throw new Unreadable(line, `a file has at most ${robotsMax} robots`);
  };
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: lineCharsMax,
      on_record: (cells: string[], info) => (read(cells, info), null),
    });
  } catch (error) {
    if (error instanceof Unreadable) problems.push({ line: error.line, column: null, reason: error.message });
    else if (error instanceof CsvError) problems.push(csvProblem(error, last.lines + 1));
    else throw error;
    return { robots, problems };
  }
  if (header === null)
    problems.push({ line: 1, column: null, reason: `the header is missing: the first line must name the columns, ${columns.join(',')}` });
  return { robots, problems };
}

export const csvHeader = csvLines([columns]);

export function csvOfRobots(robots: readonly { id: string; name: string; serial: string; labels: Labels }[]): string {
  return csvLines(robots.map(({ id, name, serial, labels }) => [id, name, serial, labelsText(labels)]));
}

function csvLines(rows: readonly (readonly string[])[]): string {
  return stringify(rows as string[][]);
}

/** The rest of the file cannot be read. */
class Unreadable extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

function columnsOf(cells: readonly string[]): { columns: Column[] } | { problem: string } {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const takes = `allowed columns: ${columns.join(', ')}`;
  if (names.length === 1 && /[;\t]/.test(names[0]!)) return { problem: `columns must be separated by commas; ${takes}` };
  const unknown = names.findIndex((name) => !(columns as readonly string[]).includes(name));
  if (unknown !== -1) return { problem: `${quoted(cells[unknown]!)}, column ${unknown + 1}, is unknown; ${takes}` };
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice !== -1) return { problem: `the column ${names[twice]} is given more than once` };
  if (!names.includes('serial') && !names.includes('id')) return { problem: `the column serial is missing; ${takes}` };
  return { columns: names as Column[] };
}

function readLine(line: number, cells: readonly string[], header: readonly Column[], robots: RobotLine[], problems: LineProblem[]): void {
  const wrong = (column: Column | null, reason: string): void => void problems.push({ line, column, reason });
  if (cells.length !== header.length) {
    wrong(null, `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, and the header has ${header.length} columns`);
    return;
  }
  const cell = (column: Column): string | undefined => cells[header.indexOf(column)]?.trim();
  const before = problems.length;
  const id = cell('id') ?? '';
  const serial = cell('serial') ?? '';
  const name = cell('name');
  if (id !== '' && !/^r-[0-9a-z]{10}$/.test(id)) wrong('id', `${quoted(id)} is not the id of a robot, such as r-7k2m9qx4tb`);
  // An existing robot, which has an id, need not have a serial.
  const badSerial = serial === '' && id !== '' ? null : serialProblem(serial);
  if (badSerial !== null) wrong(header.includes('serial') ? 'serial' : 'id', badSerial);
  const badName = nameProblem(name ?? '');
  if (badName !== null) wrong('name', badName);
  const labels = cell('labels');
  const read = labels === undefined ? { labels } : readLabels(labels);
  if ('problem' in read) wrong('labels', read.problem);
  else if (problems.length === before) robots.push({ line, id, serial, name, labels: read.labels });
}

function csvProblem({ code, lines, message }: CsvError, from: number): LineProblem {
  const reasons: Partial<Record<string, string>> = {
    CSV_QUOTE_NOT_CLOSED: 'a quotation mark opened here or below is not closed before the end of the file',
    CSV_INVALID_CLOSING_QUOTE: 'a closing quotation mark must be followed by a comma or the end of the line; inside quotes, write "" for "',
    INVALID_OPENING_QUOTE: 'a quotation mark is inside an unquoted cell; put the cell in quotes, and write "" for "',
    CSV_MAX_RECORD_SIZE: `is longer than ${lineCharsMax} characters; perhaps a quotation mark is not closed`,
  };
  const isWhole = code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE';
  return { line: isWhole ? from : Number(lines), column: null, reason: reasons[code] ?? message };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
