/** Code that runs unchanged where the client is installed, with the key in PERCH_API_KEY. Pictures are read from their files. */
import { type Args, PickedPicture } from '../draft/draft.js';
import { type Language, literal } from '../controls/literal.js';

export interface SnippetCall {
  /** Without a trailing slash. */
  baseUrl: string;
  robot: string;
  action: string;
  args: Args;
}

export interface Snippet {
  id: 'curl' | 'typescript' | 'python' | 'mcp';
  title: string;
  text: string;
}

export function snippetsOf(called: SnippetCall): Snippet[] {
  return [
    { id: 'curl', title: 'curl', text: curl(called) },
    { id: 'typescript', title: 'TypeScript', text: typescript(called) },
    { id: 'python', title: 'Python', text: python(called) },
    { id: 'mcp', title: 'MCP', text: mcp(called) },
  ];
}

function curl({ baseUrl, robot, action, args }: SnippetCall): string {
  const json = literal(args, curlJson);
  const [body, heredoc] = hasPicture(args) ? ['@-', ` <<EOF\n${inHeredoc(json)}\nEOF`] : [inQuotes(json), ''];
  return [
    `curl ${inQuotes(`${baseUrl}/v1/robots/${encodeURIComponent(robot)}/${action}`)}`,
    `  -H "Authorization: Bearer $PERCH_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${body}${heredoc}`,
  ].join(' \\\n');
}

/** Delimiters of a picture's placeholder: private-use characters that JSON does not escape. */
const placeOpen = '\u{F0000}';
const placeClose = '\u{F0001}';

/** Escapes what a here-document would expand, and replaces placeholders by commands that read the picture files. */
function inHeredoc(json: string): string {
  return json
    .split(new RegExp(`${placeOpen}(.*?)${placeClose}`, 'u'))
    .map((part, at) => (at % 2 === 0 ? part.replace(/[\\$`]/g, '\\$&') : `$(base64 < ${inQuotes(JSON.parse(`"${part}"`) as string)} | tr -d '\\n')`))
    .join('');
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Client methods whose name or parameters differ from the action. */
const typescriptCalls: Readonly<Record<string, (args: Args) => string>> = {
  state: () => 'state()',
  stop: () => 'stop()',
  events: (args) => `readEvents(${script(args)})`,
  scene: ({ actions }) => `scene(${script(actions ?? [])})`,
};

function typescript({ baseUrl, robot, action, args }: SnippetCall): string {
  const call = typescriptCalls[action]?.(args) ?? `${action}(${script(args)})`;
  return [
    ...(hasPicture(args) ? [`import { readFile } from 'node:fs/promises';`] : []),
    `import { Perch } from '@perch/client';`,
    '',
    `const perch = new Perch({ baseUrl: ${javascript.text(baseUrl)}, apiKey: process.env.PERCH_API_KEY });`,
    `const answer = await perch.robot(${javascript.text(robot)}).${call};`,
    'console.log(answer);',
  ].join('\n');
}

function python({ baseUrl, robot, action, args }: SnippetCall): string {
  const method = action === 'events' ? 'read_events' : action;
  const given = Object.entries(args).map(([name, value]) => `${name}=${literal(value, pythonic)}`);
  const line = given.join(', ');
  const call = line.length <= 80 && !line.includes('\n') ? line : `\n${given.map((each) => `    ${each.replaceAll('\n', '\n    ')},\n`).join('')}`;
  return [
    'import os',
    ...(hasPicture(args) ? ['from pathlib import Path'] : []),
    '',
    'from perch_client import Perch',
    '',
    `perch = Perch(${pythonic.text(baseUrl)}, os.environ["PERCH_API_KEY"])`,
    `answer = perch.robot(${pythonic.text(robot)}).${method}(${call})`,
    'print(answer)',
  ].join('\n');
}

function mcp({ robot, action, args }: SnippetCall): string {
  const called = { name: `robot_${action}`, arguments: { robot, ...args } };
  return literal({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: called }, json);
}

function script(value: unknown): string {
  return literal(value, javascript);
}

const javascript: Language = {
  text: (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  word: String,
  // A plain `__proto__` key would set the object's prototype.
  key: (name) => (name === '__proto__' ? `['__proto__']` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : javascript.text(name)),
  brace: ' ',
  picture: (fileName) => `await readFile(${javascript.text(fileName)}, 'base64')`,
  indent: '  ',
  lastComma: true,
};

const pythonic: Language = {
  text: (value) => JSON.stringify(value),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  key: (name) => pythonic.text(name),
  brace: '',
  picture: (fileName) => `Path(${pythonic.text(fileName)}).read_bytes()`,
  indent: '    ',
  lastComma: true,
};

const json: Language = {
  text: (value) => JSON.stringify(value),
  word: String,
  key: (name) => json.text(name),
  brace: ' ',
  picture: (fileName) => json.text(`<${fileName} in base64>`),
  indent: '  ',
  lastComma: false,
};

const curlJson: Language = { ...json, picture: (fileName) => json.text(`${placeOpen}${fileName}${placeClose}`) };

function hasPicture(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof PickedPicture || Object.values(value).some(hasPicture);
}
