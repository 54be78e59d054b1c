/** Publishes staged packages, or says what prevents it. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** @returns what prevents publishing; empty if nothing does. @param state `status` and `tags` as git prints them */
export function obstacles({ status, tags, version, environment, repositoryIsKnown }) {
  return [
    status.trim() !== '' && 'the tree is not clean: commit or remove what git status lists',
    !tags.split('\n').includes(`v${version}`) && `the commit has no tag v${version}`,
    !environment.NODE_AUTH_TOKEN && 'NODE_AUTH_TOKEN is not set: the token of the registry',
    !repositoryIsKnown && 'PERCH_REPOSITORY is not set: the address of the repository, which provenance names',
  ].filter((obstacle) => obstacle !== false);
}

export function stateOfTree(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? '';
  return { status: git('status', '--porcelain'), tags: git('tag', '--points-at', 'HEAD') };
}

/** @returns whether npm published each package, or would with `dryRun` */
export function publish(staged, { dryRun }) {
  return staged.every(({ folder, version }) => {
    const tag = version.includes('-') ? 'next' : 'latest';
    const args = ['publish', '--access', 'public', '--tag', tag, '--loglevel=notice', ...(dryRun ? ['--dry-run', '--fetch-retries=0'] : [])];
    return spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], env: process.env }).status === 0;
  });
}
