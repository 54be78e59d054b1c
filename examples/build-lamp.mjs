/**
 * A lamp for the build: green when the newest run of GitHub Actions succeeded, red when it failed, breathing yellow while it runs.
 * `node build-lamp.mjs OWNER/REPOSITORY [branch]`; GITHUB_TOKEN for private repositories, GITHUB_API_URL for a GitHub of your own. Runs until it is stopped.
 */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { theRobot } from './robot.mjs';

const [repository, branch = 'main'] = process.argv.slice(2);
if (repository === undefined) throw new Error('name a repository: node build-lamp.mjs OWNER/REPOSITORY [branch]');
const { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_TOKEN: token, POLL_SECONDS: pollS = '30' } = process.env;
const url = `${api}/repos/${repository}/actions/runs?per_page=1&branch=${encodeURIComponent(branch)}`;
const headers = { accept: 'application/vnd.github+json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
const robot = await theRobot();

let last = null;
for (;;) {
  const state = await newest().catch((error) => ({ name: 'unknown', color: 'purple', about: error.message }));
  if (state.name !== last?.name || state.about !== last.about) await light(state);
  last = state;
  await sleep(Number(pollS) * 1000);
}

async function newest() {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`GitHub answers ${response.status}`);
  const [run] = (await response.json()).workflow_runs;
  if (run === undefined) return { name: 'no runs', color: 'white', about: branch };
  const about = `${run.name} #${run.run_number}`;
  if (run.status !== 'completed') return { name: 'running', color: 'yellow', about };
  return run.conclusion === 'success' ? { name: 'passed', color: 'green', about } : { name: run.conclusion, color: 'red', about };
}

async function light({ name, color, about }) {
  console.log(`${name}: ${about}`);
  await robot.scene([
    { action: 'leds', color, ...(name === 'running' && { effect: 'breathe' }) },
    { action: 'show', title: repository, text: name, note: about, color },
    { action: 'face', emotion: color === 'red' ? 'sad' : 'happy' },
  ]);
}
