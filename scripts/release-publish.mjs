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

/**
 * Publishes what the registry does not have yet, so that a release that broke off is finished by the same command. First npm checks everything that it
 * checks without publishing; the last package of the list comes first, since its name has no scope, and may be refused to a token that is good for a scope.
 * @returns whether everything is published, or would be with `dryRun`
 */
export function publishRest(staged, { dryRun, log }) {
  const rest = [];
  for (const one of staged.toReversed()) {
    const { published, problem } = registryState(one);
    if (problem !== null) return failed(problem);
    if (published) log(`${one.name} ${one.version}: the registry has it`);
    else rest.push(one);
  }
  if (!publish(rest, { dryRun: true })) return false;
  if (dryRun) return true;
  for (const [i, one] of rest.entries())
    if (!publish([one], { dryRun: false })) {
      const names = (packages) => packages.map(({ name }) => name).join(', ') || 'nothing';
      const left = rest.slice(i);
      return failed(
        `published: ${names(staged.filter((each) => !left.includes(each)))}; not published: ${names(left)}. Mend the cause and run the same command, of the same commit: it ` +
          'publishes what is missing. If it cannot be mended, deprecate what is published (npm deprecate) and release the next version.',
      );
    }
  return true;

  function failed(why) {
    log(why);
    return false;
  }
}

/** @returns whether the registry has this version; a problem if it has it with other contents, or does not answer */
function registryState({ name, version, tarball }) {
  const { stdout, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online'], {
    encoding: 'utf8',
    env: process.env,
  });
  if (stdout.includes('"E404"') || stdout.trim() === '') {
    const isMissing = /E404/.test(stdout + stderr) || stderr.trim() === '';
    return { published: false, problem: isMissing ? null : `${name}: npm view: ${stderr.trim()}` };
  }
  const integrity = JSON.parse(stdout);
  if (typeof integrity !== 'string') return { published: false, problem: `${name}: npm view: ${stdout.trim()}` };
  const problem = integrity === tarball.integrity ? null : `${name} ${version} is published with other contents, for good: release the next version`;
  return { published: true, problem };
}

/** @returns whether npm published each tarball, or would with `dryRun` */
export function publish(staged, { dryRun }) {
  return staged.every(({ tarball, version }) => {
    const tag = version.includes('-') ? 'next' : 'latest';
    // The path is absolute: npm takes `folder/file` for a repository. No script of a package runs where the token is.
    const args = ['publish', tarball.path, '--access', 'public', '--tag', tag, '--ignore-scripts', '--loglevel=notice'];
    if (dryRun) args.push('--dry-run', '--fetch-retries=0');
    return spawnSync('npm', args, { stdio: ['ignore', 2, 2], env: process.env }).status === 0;
  });
}
