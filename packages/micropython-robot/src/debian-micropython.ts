/** Unpacks MicroPython from packages of Debian 13 without root, with their own loader and C library: Debian 12 has an older one. */
import { aptOptions, errorText, runTool } from '@perch/local-redis';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Unpacks atomically. @throws an Error that completes "no MicroPython, because …" */
export async function unpackDebianMicropython(target: string, options: DebianMicropythonOptions = {}): Promise<void> {
  const { apt = '/etc/apt', osRelease = '/etc/os-release', timeoutMs = 120_000 } = options;
  const codename = debianCodename(osRelease);
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), 'unpacking-'));
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const root = join(work, 'root');
    for (const file of await download(work, sourcesOf(apt, codename), signal)) await runTool('dpkg-deb', ['-x', file, root], work, signal);
    const micropython = unpackedMicropython(root);
    if (micropython === null) throw new Error('the packages contain no program with its loader');
    await runTool(micropython.command, [...micropython.args, '-c', 'import asyncio, socket, tls'], work, signal);
    rmSync(target, { recursive: true, force: true });
    renameSync(root, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(work: string, sources: Map<string, string>, signal: AbortSignal): Promise<string[]> {
  const [parts, downloads, status] = [join(work, 'sources'), join(work, 'packages'), join(work, 'status')] as const;
  for (const folder of [parts, downloads, join(work, 'state/lists/partial'), join(work, 'cache/archives/partial')])
    mkdirSync(folder, { recursive: true });
  for (const [name, text] of sources) writeFileSync(join(parts, name), text);
  writeFileSync(status, '');
  const settings = aptOptions(work, status, { 'Dir::Etc::SourceList': '/dev/null', 'Dir::Etc::SourceParts': parts });
  // Not fatal: the packages may be available although one source failed.
  const updateFailure = await runTool('apt-get', [...settings, 'update'], downloads, signal).then(() => null, errorText);
  try {
    await runTool('apt-get', [...settings, 'download', ...packages], downloads, signal);
  } catch (error) {
    throw updateFailure === null ? error : new Error(updateFailure, { cause: error });
  }
  return readdirSync(downloads).map((name) => join(downloads, name));
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
