/** Unpacks MicroPython from packages of Debian 13 without root, with their own loader and C library: Debian 12 has an older one. */
import { aptDownload, runTool, unpackPackages } from '@perch/local-redis';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedMicropython } from './find-micropython.js';

export interface DebianMicropythonOptions {
  /** Where this machine's apt keeps its sources. */
  apt?: string;
  osRelease?: string;
  timeoutMs?: number;
}

/** The release that has MicroPython 1.25, with the libraries that it needs. */
const release = 'trixie';
const packages = ['micropython', 'libc6', 'libffi8', 'libmbedcrypto16', 'libmbedtls21', 'libmbedx509-7'];

/** @throws an Error that completes "no MicroPython, because …" */
export async function unpackDebianMicropython(target: string, options: DebianMicropythonOptions = {}): Promise<void> {
  const { apt = '/etc/apt', osRelease = '/etc/os-release', timeoutMs } = options;
  const codename = debianCodename(osRelease);
  await unpackPackages(target, {
    timeoutMs,
    download: (work, signal) => download(work, sourcesOf(apt, codename), signal),
    async check(root, work, signal) {
      const micropython = unpackedMicropython(root);
      if (micropython === null) throw new Error('the packages contain no program with its loader');
      await runTool(micropython.command, [...micropython.args, '-c', 'import asyncio, socket, tls'], work, signal);
    },
  });
}

/** No package counts as installed: all of the other release's are needed. */
async function download(work: string, sources: Map<string, string>, signal: AbortSignal): Promise<string[]> {
  const parts = join(work, 'sources');
  mkdirSync(parts);
  for (const [name, text] of sources) writeFileSync(join(parts, name), text);
  return aptDownload(work, signal, {
    more: { 'Dir::Etc::SourceList': '/dev/null', 'Dir::Etc::SourceParts': parts },
    status: '',
    download: (apt) => apt('download', ...packages),
  });
}

function debianCodename(osRelease: string): string {
  const text = existsSync(osRelease) ? readFileSync(osRelease, 'utf8') : '';
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1];
  if (!/^ID=debian$/m.test(text) || codename === undefined) throw new Error('this is not Debian');
  return codename;
}

/** The machine's own sources for its release, made to name the one that has MicroPython. */
function sourcesOf(apt: string, codename: string): Map<string, string> {
  const folder = join(apt, 'sources.list.d');
  const files = [join(apt, 'sources.list'), ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])];
  const word = new RegExp(`\\b${codename}\\b`, 'g');
  const sources = new Map<string, string>();
  for (const file of files.filter((name) => /\.(?:list|sources)$/.test(name) && existsSync(name))) {
    const text = readFileSync(file, 'utf8');
    if (text.search(word) !== -1) sources.set(`${sources.size}${file.endsWith('.list') ? '.list' : '.sources'}`, text.replaceAll(word, release));
  }
  if (sources.size === 0) throw new Error(`apt has no source for ${codename}`);
  return sources;
}
