/** The Redis and Valkey servers of Debian's suites, each unpacked with its own loader and libraries, to run tests on versions beside the machine's. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideProgram, runTool, toolCache, unpackedLoader, unpackOtherRelease } from '@perch/local-redis';

export interface RedisVersion {
  /** Name of the folder in the cache, and for the option `--only`. */
  name: string;
  suites: readonly string[];
  package: 'redis-server' | 'valkey-server';
}

/** The packages of today: Redis 7.0, 8.0, a later 8.0 and 8.6; Valkey 8.0, 8.1 and 9.1. Two of them need packages of the suite that they extend. */
export const redisVersions: readonly RedisVersion[] = [
  { name: 'redis-bookworm', suites: ['bookworm'], package: 'redis-server' },
  { name: 'redis-trixie', suites: ['trixie'], package: 'redis-server' },
  { name: 'redis-sid', suites: ['sid'], package: 'redis-server' },
  { name: 'redis-experimental', suites: ['sid', 'experimental'], package: 'redis-server' },
  { name: 'valkey-bookworm-backports', suites: ['bookworm', 'bookworm-backports'], package: 'valkey-server' },
  { name: 'valkey-trixie', suites: ['trixie'], package: 'valkey-server' },
  { name: 'valkey-sid', suites: ['sid'], package: 'valkey-server' },
];

/** `bin` goes to the front of PATH: its programs `redis-server` and `redis-cli` are of this version. `version` is as the server prints it. */
export interface ProvidedRedis {
  bin: string;
  version: string;
}

/** Downloads the version unless the cache of the clone has it. @returns a sentence that says why there is none */
export async function provideRedisVersion(env: NodeJS.ProcessEnv, { name, suites, package: server }: RedisVersion): Promise<ProvidedRedis | string> {
  const root = join(toolCache(env), 'redis-versions', name);
  const command = await provideProgram(env, {
    missing: `${name} is needed`,
    find: () => commandOf(root, server),
    unpack: () =>
      unpackOtherRelease(root, {
        suites,
        async packages(apt) {
          const plan = await apt('--simulate', '--no-install-recommends', 'install', server);
          return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, each = '']) => each).filter((each) => /^(?:redis|valkey|lib)/.test(each));
        },
        check: async (unpacked) => void (await versionOf(commandOf(unpacked, server)!)),
      }),
  });
  if (typeof command === 'string') return command;
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, words] of Object.entries({ 'redis-server': command, 'redis-cli': commandOf(root, server.replace('server', 'cli'))! })) {
    const program = join(bin, name);
    writeFileSync(program, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`);
    chmodSync(program, 0o755);
  }
  return { bin, version: await versionOf(command) };
}

function commandOf(root: string, program: string): string[] | null {
  const loader = unpackedLoader(root);
  return loader === null ? null : [...loader, join(root, 'usr/bin', program)];
}

async function versionOf([program, ...args]: string[]): Promise<string> {
  const text = await runTool(program!, [...args, '--version'], '/', AbortSignal.timeout(10_000));
  return text.replace(/ sha=.*/s, '');
}
