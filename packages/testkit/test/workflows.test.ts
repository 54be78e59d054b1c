import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Job {
  strategy: { matrix: { part: string[] } };
  steps: { run?: string }[];
}

function jobs(workflow: string): Job[] {
  return Object.values((parse(readFileSync(`${root}/.github/workflows/${workflow}.yml`, 'utf8')) as { jobs: Record<string, Job> }).jobs);
}

function partsOf(script: string): { name: string; seconds: number }[] {
  const { stdout } = spawnSync(process.execPath, [`scripts/${script}.mjs`, '--list'], { cwd: root, encoding: 'utf8' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/))
    .map(([name, seconds]) => ({ name: name!, seconds: Number(seconds) }));
}

describe('the hosted workflows', () => {
  it('run every part of .ci/run in a job of its own, each of at most 15 minutes', () => {
    const [job, ...others] = jobs('ci');
    assert.deepEqual(others, []);
    const parts = partsOf('gate');
    assert.deepEqual(
      job!.strategy.matrix.part,
      parts.map(({ name }) => name),
    );
    assert.ok(job!.steps.some(({ run }) => run === '.ci/run --only ${{ matrix.part }}'));
    for (const { name, seconds } of parts) assert.ok(seconds > 0 && seconds <= 15 * 60, name);
  });

  it('run every part of the nightly run in a job of its own, after .ci/run has installed what the parts need', () => {
    const [job, ...others] = jobs('nightly');
    assert.deepEqual(others, []);
    assert.deepEqual(
      job!.strategy.matrix.part,
      partsOf('nightly').map(({ name }) => name),
    );
    const commands = job!.steps.flatMap(({ run }) => run ?? []);
    assert.deepEqual(commands, ['.ci/run --list', 'npm run nightly -- ${{ matrix.part }}']);
  });
});

describe('the table of guarantees in docs/testing.md', () => {
  it('names tests that there are', async () => {
    const { testFiles } = (await import(join(root, 'scripts/batch-list.mjs'))) as { testFiles(root: string, kind: 'short' | 'long'): string[] };
    const files = [...testFiles(root, 'short'), ...testFiles(root, 'long')];
    const [, table = ''] = readFileSync(join(root, 'docs/testing.md'), 'utf8').split('### Which test holds which guarantee\n');
    const names = [...table.split('\n### ')[0]!.matchAll(/`((?:packages|services|test-e2e|tools)\/[^`]+)`/g)].flatMap(([, name]) => expanded(name!));
    assert.ok(names.length > 60, String(names.length));
    const missing = names.filter((name) => {
      const path = name
        .replace(/\.long$/, '')
        .replaceAll('.', '\\.')
        .replaceAll('*', '[^/]*');
      const long = name.endsWith('.long') ? '\\.long' : '(?:\\.long)?';
      return !files.some((file) => new RegExp(`^${path}(?:/.*|(?:\\.redis)?${long})\\.test\\.ts$`).test(file));
    });
    assert.deepEqual(missing, []);
  });
});

/** `a/{b,c}` as `a/b` and `a/c`. */
function expanded(name: string): string[] {
  const match = /^(.*)\{([^}]*)\}(.*)$/.exec(name);
  return match === null ? [name] : match[2]!.split(',').map((one) => `${match[1]}${one}${match[3]}`);
}
