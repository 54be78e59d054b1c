/**
 * `npm run panels [-- SECONDS]`: draws every dashboard with Grafana's own components, from a real Prometheus after a short load run, into
 * docs/images/dashboards, and prints the panels without data (docs/testing.md, "Dashboards").
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import './check-node.mjs';
import { pnpm, root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(1);
const panels = join(root, 'tools/panels');
const work = mkdtempSync(join(tmpdir(), 'perch-panels-'));
const data = join(work, 'data.json');
try {
  // About 450 MB of packages, so that nothing else installs them.
  run('npx', ['--yes', pnpm, 'install', '--ignore-workspace', '--ignore-scripts', '--frozen-lockfile', '--prefer-offline'], panels);
  run(join(panels, 'node_modules/.bin/tsc'), ['--noEmit'], panels);
  run(process.execPath, ['tools/dashboards/dist/panels-main.js', data, ...process.argv.slice(2)], root);
  run(process.execPath, ['tools/panels/draw.mjs', data, 'docs/images/dashboards'], root);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`);
}
