import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const floors = fileURLToPath(new URL('../../../scripts/floors.mjs', import.meta.url));

/** Runs the check on a repository of these files (path -> text), or on this one for null. */
function check(files: Record<string, string> | null): { output: string; passed: boolean } {
  const repository = mkdtempSync(join(tmpdir(), 'perch-layers-'));
  try {
    for (const [path, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    const { stdout, stderr, status } = spawnSync(process.execPath, [floors, ...(files === null ? [] : [repository])], { encoding: 'utf8' });
    return { output: stdout + stderr, passed: status === 0 };
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}

const empty = 'export const nothing = null;\n';

describe('scripts/floors.mjs', () => {
  it('finds no forbidden import in this repository and reads every module', function () {
    this.timeout(120_000);
    const { output, passed } = check(null);
    assert.ok(passed, output);
    const read = Number(/floors: (\d+) modules/.exec(output)?.[1]);
    assert.ok(read > 50, `only ${read} modules were read`);
  });

  const forbidden: Record<string, { files: Record<string, string>; rule: string }> = {
    'a package that imports a service': {
      files: { 'packages/screen/src/a.ts': "import '../../../services/gateway/src/b.js';\n", 'services/gateway/src/b.ts': empty },
      rule: 'service-imported',
    },
    'a service that imports a service': {
      files: { 'services/renderer/src/a.ts': "import '../../gateway/src/b.js';\n", 'services/gateway/src/b.ts': empty },
      rule: 'service-imported',
    },
    'an import of a higher layer': {
      files: {
        'packages/schema/src/a.ts': "import type { B } from '../../store/src/b.js';\nexport type A = B;\n",
        'packages/store/src/b.ts': 'export type B = 1;\n',
      },
      rule: 'floor-of-schema',
    },
    'production code that imports the testkit': {
      files: { 'services/gateway/src/a.ts': "import '../../../packages/testkit/src/b.js';\n", 'packages/testkit/src/b.ts': empty },
      rule: 'floor-of-gateway',
    },
    'a cycle': {
      files: { 'packages/sound/src/a.ts': "export * from './b.js';\n", 'packages/sound/src/b.ts': "export * from './a.js';\n" },
      rule: 'no-cycle',
    },
    'a page of the console that imports a schema': {
      files: { 'packages/console/src/a.tsx': "import '../../schema/src/b.js';\n", 'packages/schema/src/b.ts': empty },
      rule: 'page-takes-no-schema',
    },
    'production code that imports the console': {
      files: { 'services/gateway/src/a.ts': "import '../../../packages/console/src/b.js';\n", 'packages/console/src/b.tsx': empty },
      rule: 'floor-of-gateway',
    },
    'a package that has no layer': {
      files: { 'packages/attic/src/a.ts': "import '../../schema/src/b.js';\n", 'packages/schema/src/b.ts': empty },
      rule: 'room-without-floor',
    },
  };

  for (const [what, { files, rule }] of Object.entries(forbidden)) {
    it(`reports ${what}`, () => {
      const { output, passed } = check(files);
      assert.match(output, new RegExp(`^${rule}: `, 'm'));
      assert.equal(passed, false);
    });
  }

  it('reports an external package that is imported outside the packages that may use it', () => {
    const misplaced = {
      ioredis: 'services/gateway',
      bullmq: 'services/renderer',
      canvas: 'packages/screen',
      ws: 'services/gateway',
      express: 'services/robot-link',
      react: 'services/gateway',
      'openid-client': 'packages/store',
      'playwright-core': 'packages/testkit',
      'rate-limiter-flexible': 'services/gateway',
    };
    const files = Object.entries(misplaced).flatMap(([name, folder]) => [
      [`${folder}/src/${name}.ts`, `import '${name}';\n`],
      [`node_modules/${name}/index.js`, 'export {};\n'],
    ]);
    const { output, passed } = check(Object.fromEntries(files));
    for (const [name, folder] of Object.entries(misplaced)) assert.match(output, new RegExp(`^door-to-\\S+: ${folder}/src/${name}.ts -> `, 'm'));
    assert.equal(passed, false);
  });

  it('accepts the allowed imports between packages', () => {
    const { output, passed } = check({
      'services/gateway/src/a.ts': "import '../../../packages/store/src/b.js';\nimport 'express';\n",
      'packages/store/src/b.ts': "import '../../schema/src/c.js';\nimport 'ioredis';\n",
      'packages/schema/src/c.ts': 'export type C = 1;\n',
      'packages/console/src/d.tsx': "import type { C } from '../../schema/src/c.js';\nimport 'react';\nexport const c: C = 1;\n",
      'node_modules/react/index.js': 'export {};\n',
      'node_modules/express/index.js': 'export {};\n',
      'node_modules/ioredis/index.js': 'export {};\n',
    });
    assert.ok(passed, output);
  });

  it('fails when it has read no modules', () => {
    const { output, passed } = check({ 'packages/schema/src/readme.txt': 'no code' });
    assert.match(output, /floors: 0 modules/);
    assert.equal(passed, false);
  });
});
