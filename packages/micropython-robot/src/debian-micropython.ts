/** Unpacks MicroPython from packages of Debian without root, with their own loader and C library: Debian 12 has older ones. */
import { runTool, unpackOtherRelease } from '@perch/local-redis';
import { unpackedMicropython } from './find-micropython.js';

export interface DebianMicropythonOptions {
  /** Default: the release that has MicroPython 1.25. */
  suite?: string;
  /** Folders of this machine's apt sources. */
  apt?: string;
  osRelease?: string;
  timeoutMs?: number;
}

/** With the libraries that it needs; the same ones up to 1.26. */
const packages = ['micropython', 'libc6', 'libffi8', 'libmbedcrypto16', 'libmbedtls21', 'libmbedx509-7'];

/** @throws an Error that completes "no MicroPython, because …" */
export async function unpackDebianMicropython(target: string, { suite = 'trixie', ...options }: DebianMicropythonOptions = {}): Promise<void> {
  await unpackOtherRelease(target, {
    ...options,
    suites: [suite],
    packages: () => Promise.resolve(packages),
    async check(root, work, signal) {
      const micropython = unpackedMicropython(root);
      if (micropython === null) throw new Error('the packages contain no program with its loader');
      await runTool(micropython.command, [...micropython.args, '-c', 'import asyncio, socket, tls'], work, signal);
    },
  });
}
