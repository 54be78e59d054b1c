/** The clients and converters of the bench: each is one file, which names the packages it takes in exact versions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface About {
  name: string;
  /** Packages by version, in a row of the table each; the first package gives the row its version. */
  versions: Record<string, string>[];
  /** Version of Node.js that it needs; default: the one of the bench. */
  node?: string;
  /** Leaves out optional dependencies of packages: builds for other machines. */
  omitsOptional?: boolean;
  /** Checks that it cannot be put to, each with the reason. */
  lacks?: Partial<Record<string, string>>;
  /** Checks and conversions that fail by the client's own fault, each with the reason. They run all the same, and fail once they pass. */
  faults?: Partial<Record<string, string>>;
  /** Rules that judge what a client makes of the tools or of the OpenAPI document, by a name for each result. */
  converts?: Record<string, Target>;
}

/** Bodies of requests to a provider; grammars that llama.cpp parses; sources in TypeScript that the file compiles itself. */
export type Target = 'gemini' | 'openai' | 'llama.cpp' | 'TypeScript';

export interface Entry extends About {
  file: string;
  kind: 'npm' | 'pip';
}

export const folder = fileURLToPath(new URL('.', import.meta.url));

export async function entriesOf(kind: 'clients' | 'converters'): Promise<Entry[]> {
  const files = readdirSync(join(folder, kind))
    .map((name) => join(folder, kind, name))
    .toSorted();
  return Promise.all(files.map(async (file): Promise<Entry> => ({ ...(await aboutOf(file)), file, kind: file.endsWith('.py') ? 'pip' : 'npm' })));
}

async function aboutOf(file: string): Promise<About> {
  if (!file.endsWith('.py')) return ((await import(pathToFileURL(file).href)) as { about: About }).about;
  return JSON.parse(/^ABOUT = (.*)$/m.exec(readFileSync(file, 'utf8'))![1]!) as About;
}

export interface Row {
  name: string;
  version: string;
}

export function rowsOf(entries: readonly Pick<About, 'name' | 'versions'>[]): Row[] {
  return entries.flatMap(({ name, versions }) => versions.map((packages) => ({ name, version: versionOf(packages) })));
}

export function versionOf(packages: Record<string, string>): string {
  return Object.values(packages)[0]!;
}
