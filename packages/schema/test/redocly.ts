import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Findings {
  errors: number;
  warnings: number;
  problems: string[];
}

export async function lint(description: object): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-description-'));
  try {
    const file = join(folder, 'description.json');
    await writeFile(file, JSON.stringify(description));
    const output = await new Promise<string>((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      execFile(join(root, 'node_modules/.bin/redocly'), ['lint', '--format=json', file], { cwd: folder, env }, (_, stdout) => resolve(stdout));
    });
    const found = JSON.parse(output.slice(output.indexOf('{'))) as {
      totals: { errors: number; warnings: number };
      problems: { ruleId: string; location: { pointer?: string }[] }[];
    };
    return { ...found.totals, problems: found.problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
