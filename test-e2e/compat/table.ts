/** docs/clients/compatibility.md: written by the bench, and read by it for since when something works. */
import { checkNames, type CheckName } from './checks.js';

export interface ClientResult {
  name: string;
  version: string;
  /** Null: not part of this run, so that its row stays as it is. */
  results: Partial<Record<CheckName, Outcome>> | { absent: string } | null;
}

export interface ConversionResult {
  name: string;
  version: string;
  target: string;
  /** Null as for clients. */
  outcome: Outcome | null;
}

/** lacks: the client has no such function, or the check does not fit it. absent: it could not be had. */
export type Outcome = { passed: true } | { failed: string } | { lacks: string } | { absent: string };

export interface Run {
  release: string;
  day: string;
  node: string;
}

export const page = new URL('../../docs/clients/compatibility.md', import.meta.url);
const noteOf = / \[(\d+)\]$/;

/** Returns the first two cells of each row of the page's tables, and since when each row is as it is. */
export function rowsOfPage(text: string): { name: string; version: string; cells: string[] }[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:client|converter) \|/.test(line))
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([name = '', version = '', ...cells]) => ({ name, version, cells }));
}

/** @param before the page of the last run, or '' */
export function written(
  clients: readonly ClientResult[],
  conversions: readonly ConversionResult[],
  { release, day, node }: Run,
  before: string,
): string {
  const last = rowsOfPage(before);
  const lastNotes = new Map([...before.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, note]): [string, string] => [number!, note!]));
  const notes: string[] = [];
  const noted = (mark: string, note: string): string => {
    if (!notes.includes(note)) notes.push(note);
    return `${mark} [${notes.indexOf(note) + 1}]`;
  };
  const cellOf = (outcome: Outcome = { absent: 'not checked' }): string => {
    if ('passed' in outcome) return 'yes';
    if ('failed' in outcome) return noted('**no**', outcome.failed);
    return 'lacks' in outcome ? noted('–', outcome.lacks) : noted('not run here', outcome.absent);
  };
  const plain = (cell: string | undefined): string | undefined => cell?.replace(noteOf, '');
  const keptCell = (cell: string): string => {
    const note = lastNotes.get(noteOf.exec(cell)?.[1] ?? '');
    return note === undefined ? cell : noted(plain(cell)!, note);
  };
  const line = (name: string, version: string, cells: readonly string[] | null): string => {
    const row = last.find((each) => each.name === name && each.version === version)?.cells;
    const shown = cells ?? row?.slice(0, -1).map(keptCell) ?? [cellOf()];
    const isSame = row !== undefined && shown.every((cell, i) => plain(cell) === plain(row[i]));
    return `| ${[name, version, ...shown, isSame ? row.at(-1) : release].join(' | ')} |`;
  };
  const cellsOf = (results: NonNullable<ClientResult['results']>): string[] =>
    checkNames.map((check) => cellOf('absent' in results ? results : results[check]));
  const clientLines = clients.map(({ name, version, results }) => line(name, version, results === null ? null : cellsOf(results)));
  const conversionLines = conversions.map(({ name, version, target, outcome }) =>
    line(name, version, outcome === null ? null : [target, cellOf(outcome)]),
  );
  return `# Compatibility of clients

\`npm run compat\` writes this page; do not edit it. It runs each client as its package is published, with its own time limits, against Perch and a virtual robot. Last run: Perch ${release}, ${day}, Node.js ${node}.

| client | version | ${checkNames.join(' | ')} | since |
|---|---|${checkNames.map(() => '---|').join('')}---|
${clientLines.join('\n')}

- *connect, list*: connects with a key, and lists the 18 tools.
- *each tool*: calls each tool once.
- *ask*: the person taps, and the client gets the answer.
- *cancel*: a call that the client gives up takes its question away, and the next one is asked.
- *OAuth, refresh after an hour*: finds the authorization server, registers, is allowed by the user once, and goes on after its access token ended, twice.
- *two processes, one login*: share what the first was allowed; after an hour both refresh at once, and after another one after the other.
- *wait past 60 s*: a person who taps 62 s after the question is heard: the call is answered \`pending\`, and \`robot_answer\` has the answer.
- **no**: by the client's own fault, unless the note says otherwise.
- *since*: the release of Perch with which a run first saw the row as it is.

## Converters

What converters make of the list of tools, read from the request that they send to a provider, and of the OpenAPI document. Rules of providers: \`packages/testkit/src/tool-formats\`, which names their sources; grammars are parsed by llama.cpp itself; generated TypeScript is compiled, with a program that asks without \`timeout_s\`.

| converter | version | accepted as | accepted | since |
|---|---|---|---|---|
${conversionLines.join('\n')}
${notes.length === 0 ? '' : `\n## Notes\n\n${notes.map((note, i) => `${i + 1}. ${note.replaceAll(/[|<>]/g, ' ')}`).join('\n')}\n`}`;
}
