/** Static checks of `npm test` and `npm run lint`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { root } from './set-up.mjs';

const tool = (path) => join(root, 'node_modules', path);

const checks = [
  { name: 'types', args: [tool('typescript/bin/tsc'), '-p', 'tsconfig.test.json'] },
  { name: 'types of the web page', args: [tool('typescript/bin/tsc'), '-p', 'packages/console'] },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check'] },
  { name: 'imports between packages and folders', args: [join(root, 'scripts/imports.mjs')] },
  { name: 'language', args: [join(root, 'scripts/language.mjs')] },
  { name: 'dead code and dependencies', args: [tool('knip/bin/knip.js'), '--treat-config-hints-as-errors'] },
];

/** Runs all checks one after the other, also after a failure. @param print receives lines without their end @returns failures: lines `failed: …` */
export async function runChecks(print) {
  const total = { passed: 0, failed: 0, failures: [] };
  for (const { name, args } of checks) {
    const { code, output } = await runQuietly(args);
    if (code === 0) total.passed += 1;
    else {
      total.failed += 1;
      total.failures.push(`failed: check: ${name}`);
    }
    print(code === 0 ? `check: ${name}: passed` : `${output}check: ${name}: failed`);
  }
  return total;
}

function runQuietly(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
