import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const imports = fileURLToPath(new URL('../../../scripts/imports.mjs', import.meta.url));

/** Runs the check, which `npm test` runs on this repository, on one of these files (path -> text). */
function check(files: Record<string, string>): { output: string; passed: boolean } {
  const repository = mkdtempSync(join(tmpdir(), 'perch-layers-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    const { stdout, stderr, status } = spawnSync(process.execPath, [imports, repository], { encoding: 'utf8' });
    return { output: stdout + stderr, passed: status === 0 };
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}

const empty = 'export const nothing = null;\n';

describe('scripts/imports.mjs', () => {
  describe('forbidden imports', () => {
    /** Files of one repository, by what the first file of each does, with the rule that it breaks. */
    const forbidden: Record<string, { files: Record<string, string>; rule: string }> = {
      'a package that imports a service': {
        files: { 'packages/screen/src/a.ts': "import '../../../services/gateway/src/b.js';\n", 'services/gateway/src/b.ts': empty },
        rule: 'service-imported',
      },
      'a service that imports a service': {
        files: { 'services/renderer/src/a.ts': "import '../../gateway/src/c.js';\n", 'services/gateway/src/c.ts': empty },
        rule: 'service-imported',
      },
      'an import of a higher layer': {
        files: {
          'packages/schema/src/a.ts': "import type { B } from '../../store/src/b.js';\nexport type A = B;\n",
          'packages/store/src/b.ts': 'export type B = 1;\n',
        },
        rule: 'allowed imports of packages/schema',
      },
      'production code that imports the testkit': {
        files: { 'services/gateway/src/a.ts': "import '../../../packages/testkit/src/b.js';\n", 'packages/testkit/src/b.ts': empty },
        rule: 'allowed imports of services/gateway',
      },
      'a cycle': {
        files: { 'packages/sound/src/a.ts': "export * from './b.js';\n", 'packages/sound/src/b.ts': "export * from './a.js';\n" },
        rule: 'no-cycle',
      },
      'a cycle of types': {
        files: {
          'packages/screen/src/c.ts': "import type { B } from './d.js';\nexport type A = B;\n",
          'packages/screen/src/d.ts': "import type { A } from './c.js';\nexport type B = A;\n",
        },
        rule: 'no-cycle',
      },
      'a folder of the gateway that imports a later one': {
        files: { 'services/gateway/src/waits/a.ts': "import '../actions/b.js';\n", 'services/gateway/src/actions/b.ts': empty },
        rule: 'allowed imports of services/gateway/src/waits',
      },
      'a folder of the gateway that imports one of its own row': {
        files: { 'services/gateway/src/rest/a.ts': "import '../mcp/b.js';\n", 'services/gateway/src/mcp/b.ts': empty },
        rule: 'allowed imports of services/gateway/src/rest',
      },
      'a folder of the gateway that imports its wiring': {
        files: { 'services/gateway/src/console/a.ts': "import '../wiring.js';\n", 'services/gateway/src/wiring.ts': empty },
        rule: 'allowed imports of services/gateway/src/console',
      },
      'a folder of the gateway that has no place in the order': {
        files: { 'services/gateway/src/attic/a.ts': "import '../calls/b.js';\n", 'services/gateway/src/calls/b.ts': empty },
        rule: 'folder of services/gateway without allowed imports',
      },
      'a folder of the robot-link that imports a later one': {
        files: { 'services/robot-link/src/session/a.ts': "import '../connection/b.js';\n", 'services/robot-link/src/connection/b.ts': empty },
        rule: 'allowed imports of services/robot-link/src/session',
      },
      'a folder of the robot-link that has no place in the order': {
        files: { 'services/robot-link/src/attic/a.ts': "import '../metrics/b.js';\n", 'services/robot-link/src/metrics/b.ts': empty },
        rule: 'folder of services/robot-link without allowed imports',
      },
      'a folder of the store that imports a later one': {
        files: { 'packages/store/src/media/a.ts': "import '../robots/b.js';\n", 'packages/store/src/robots/b.ts': empty },
        rule: 'allowed imports of packages/store/src/media',
      },
      'a folder of the store that imports its wiring': {
        files: { 'packages/store/src/robots/c.ts': "import '../store.js';\n", 'packages/store/src/store.ts': empty },
        rule: 'allowed imports of packages/store/src/robots',
      },
      'a folder of the schema that imports a later one': {
        files: { 'packages/schema/src/values/a.ts': "import '../api/b.js';\n", 'packages/schema/src/api/b.ts': empty },
        rule: 'allowed imports of packages/schema/src/values',
      },
      'a folder of the schema that has no place in the order': {
        files: { 'packages/schema/src/attic/a.ts': "import '../base/b.js';\n", 'packages/schema/src/base/b.ts': empty },
        rule: 'folder of packages/schema without allowed imports',
      },
      'a page of the console that imports a schema': {
        files: { 'packages/console/src/a.tsx': "import '../../schema/src/b.js';\n", 'packages/schema/src/b.ts': empty },
        rule: 'page-takes-no-schema',
      },
      'production code that imports the console': {
        files: { 'services/gateway/src/d.ts': "import '../../../packages/console/src/e.js';\n", 'packages/console/src/e.tsx': empty },
        rule: 'allowed imports of services/gateway',
      },
      'a package that has no layer': {
        files: { 'packages/attic/src/a.ts': "import '../../schema/src/b.js';\n", 'packages/schema/src/b.ts': empty },
        rule: 'package without allowed imports',
      },
    };
    /** External packages, and a folder each that must not import them. */
    const misplaced = {
      ioredis: 'services/gateway',
      bullmq: 'services/renderer',
      canvas: 'packages/screen',
      ws: 'services/gateway',
      express: 'services/robot-link',
      react: 'services/gateway',
      'openid-client': 'packages/store',
      nodemailer: 'packages/store',
      'smtp-server': 'services/gateway',
      'playwright-core': 'packages/testkit',
      'rate-limiter-flexible': 'services/gateway',
    };
    let output = '';
    before(() => {
      const external = Object.entries(misplaced).flatMap(([name, folder]) => [
        [`${folder}/src/${name}.ts`, `import '${name}';\n`],
        [`node_modules/${name}/index.js`, 'export {};\n'],
      ]);
      const files = [...Object.values(forbidden).flatMap((one) => Object.entries(one.files)), ...external];
      const result = check(Object.fromEntries(files));
      assert.equal(result.passed, false);
      ({ output } = result);
    });

    for (const [what, { files, rule }] of Object.entries(forbidden)) {
      it(`reports ${what}`, () => {
        const [from, to] = Object.keys(files);
        // A cycle is reported from any of its modules, and a package that is not listed without what it imports.
        const line = { 'no-cycle': `no-cycle: ${dirname(from!)}/`, 'package without allowed imports': `${rule}: ${from}` }[rule];
        assert.ok(
          output.split('\n').some((one) => one.startsWith(line ?? `${rule}: ${from} -> ${to}`)),
          output,
        );
      });
    }

    it('reports an external package that is imported outside the packages that may use it', () => {
      for (const [name, folder] of Object.entries(misplaced))
        assert.match(output, new RegExp(`^only .* import .*: ${folder}/src/${name}.ts -> `, 'm'));
    });
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
    assert.match(output, /imports: 0 modules/);
    assert.equal(passed, false);
  });

  it('has the order that ARCHITECTURE.md lists for each package with layers', () => {
    const root = new URL('../../../', import.meta.url);
    const { folders } = createRequire(import.meta.url)(fileURLToPath(new URL('.dependency-cruiser.cjs', root))) as {
      folders: Record<string, string[][]>;
    };
    const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
    for (const [owner, rows] of Object.entries(folders)) {
      const [, after = ''] = text.split(new RegExp(`(?:^Inside the gateway, a folder of|^\\| folders of) \`${owner}/src\`.*`, 'm'));
      const [table = ''] = /(?:^\|.*\n)+/m.exec(after) ?? [];
      const listed = [...table.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].map(([, names]) =>
        [...names!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
      );
      assert.deepEqual(listed, rows, owner);
    }
  });
});
