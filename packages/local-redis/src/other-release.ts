/** Unpacks packages of another Debian release without root; they run with the loader and the libraries unpacked beside them (`unpackedLoader`). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptDownload, unpackPackages, type UnpackedPackages } from './debian-tools.js';

export interface OtherRelease extends Pick<UnpackedPackages, 'timeoutMs' | 'check'> {
  /** Such as `trixie`; packages come from the last one that has them. */
  suites: readonly string[];
  /** Returns the names of the packages. @param apt runs `apt-get` with the lists of these suites; no package counts as installed */
  packages: (apt: (...args: string[]) => Promise<string>) => Promise<readonly string[]>;
  /** Folders of this machine's apt sources. */
  apt?: string | undefined;
  osRelease?: string | undefined;
}

/** @throws an Error */
export async function unpackOtherRelease(
  target: string,
  { suites, packages, apt = '/etc/apt', osRelease = '/etc/os-release', ...more }: OtherRelease,
): Promise<void> {
  const sources = sourcesOf(apt, debianCodename(osRelease), suites);
  await unpackPackages(target, {
    ...more,
    download: (work, signal) => {
      const parts = join(work, 'sources');
      mkdirSync(parts);
      for (const [name, text] of sources) writeFileSync(join(parts, name), text);
      return aptDownload(work, signal, {
        more: { 'Dir::Etc::SourceList': '/dev/null', 'Dir::Etc::SourceParts': parts, 'APT::Default-Release': suites.at(-1)! },
        status: '',
        download: async (run) => run('download', ...(await packages(run))),
      });
    },
  });
}

function debianCodename(osRelease: string): string {
  const text = existsSync(osRelease) ? readFileSync(osRelease, 'utf8') : '';
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1];
  if (!/^ID=debian$/m.test(text) || codename === undefined) throw new Error('this is not Debian');
  return codename;
}

/** Returns the machine's own sources of its release with the suites in place of it; security and other updates have suites of their own. */
function sourcesOf(apt: string, codename: string, suites: readonly string[]): Map<string, string> {
  const folder = join(apt, 'sources.list.d');
  const files = [join(apt, 'sources.list'), ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])];
  const sources = new Map<string, string>();
  for (const file of files.filter((name) => /\.(?:list|sources)$/.test(name) && existsSync(name))) {
    const text = readFileSync(file, 'utf8');
    const kind = file.endsWith('.list') ? 'list' : 'sources';
    const changed = kind === 'list' ? linesFor(text, codename, suites) : stanzasFor(text, codename, suites);
    if (changed !== '') sources.set(`${sources.size}.${kind}`, `${changed}\n`);
  }
  if (sources.size === 0) throw new Error(`apt has no source for ${codename}`);
  return sources;
}

function linesFor(text: string, codename: string, suites: readonly string[]): string {
  const own = [...text.matchAll(/^(deb\s+(?:\[[^\]]*\]\s+)?\S+)\s+(\S+)\s+(.*)$/gm)].filter(([, , suite]) => suite === codename);
  return own.flatMap(([, source, , components]) => suites.map((suite) => `${source} ${suite} ${components}`)).join('\n');
}

function stanzasFor(text: string, codename: string, suites: readonly string[]): string {
  const stanzas = text.split(/\n\s*\n/).filter((stanza) => /^Suites:(.*)$/m.exec(stanza)?.[1]?.split(/\s+/).includes(codename));
  return stanzas.map((stanza) => stanza.trimEnd().replace(/^Suites:.*$/m, `Suites: ${suites.join(' ')}`)).join('\n\n');
}
