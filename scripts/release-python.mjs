/** Builds the wheel and the source archive of the Python client with hatchling, and checks their metadata as the index of Python packages does. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** The second one is Debian's, which sees Debian's modules. */
const pythons = ['python3', '/usr/bin/python3'];

/** hatchling writes the licence as an expression; older versions do so under a metadata version that has none, which the index refuses. */
const modules = `
from importlib.metadata import version
import build, hatchling.build, packaging.metadata
least = {"hatchling": (1, 27), "packaging": (24, 2)}
for name in least:
    if tuple(map(int, version(name).split(".")[:2])) < least[name]:
        raise SystemExit(f"{name} {version(name)}")
`;

/** Debian 13's, which any Python 3 from 3.11 on runs. */
const building = ['build', 'hatchling', 'packaging', 'pathspec', 'pluggy', 'pyproject-hooks', 'trove-classifiers'];
/** For twine, without what only uploads need. */
const checking = ['certifi', 'chardet', 'charset-normalizer', 'docutils', 'id', 'idna', 'keyring', 'nh3', 'pygments', 'readme-renderer'];
const ofRequests = ['requests', 'requests-toolbelt', 'rich', 'roman', 'urllib3'];
const packages = ['twine', ...[...building, ...checking, ...ofRequests].map((name) => `python3-${name}`)];

/** @returns `{python, env}` that can build; the modules are the machine's or, on Debian, unpacked into the clone's cache; or a sentence why there is none */
export async function buildingPython() {
  const { provideProgram, toolCache, unpackOtherRelease } = await import('../packages/local-redis/dist/index.js');
  const unpacked = join(toolCache(process.env), 'python-release');
  return provideProgram(process.env, {
    missing: 'a Python 3 with the modules build, hatchling 1.27 and packaging 24.2 is needed (pip install build hatchling packaging)',
    find: () => pythonWith(process.env.PYTHONPATH) ?? pythonWith(modulesIn(unpacked)),
    unpack: () =>
      unpackOtherRelease(unpacked, {
        suites: ['trixie'],
        packages: () => Promise.resolve(packages),
        check: async (root) => {
          if (pythonWith(modulesIn(root)) === null) throw new Error('no Python on this machine runs the modules of Debian 13');
        },
      }),
  });
}

function modulesIn(root) {
  return [join(root, 'usr/lib/python3/dist-packages'), process.env.PYTHONPATH].filter(Boolean).join(delimiter);
}

function pythonWith(path) {
  const env = { ...process.env, PYTHONPATH: path ?? '' };
  const python = pythons.find((each) => spawnSync(each, ['-c', modules], { stdio: 'ignore', env }).status === 0);
  return python === undefined ? null : { python, env };
}

/** Builds the source archive, and the wheel from it. @returns the paths of both @throws with the output of the build */
export function buildPython({ python, env }, folder, out) {
  mkdirSync(out, { recursive: true });
  const { status, stdout, stderr } = spawnSync(python, ['-m', 'build', '--no-isolation', '--outdir', out, folder], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`python3 -m build: ${stdout}${stderr}`);
  const file = (ending) =>
    join(
      out,
      readdirSync(out).find((name) => name.endsWith(ending)),
    );
  return { wheel: file('.whl'), archive: file('.tar.gz') };
}

const metadataCheck = `
import sys, tarfile, zipfile
from packaging.metadata import Metadata
wheel, archive = sys.argv[1:]
with zipfile.ZipFile(wheel) as opened:
    names = opened.namelist()
    texts = [opened.read(name) for name in names if name.endswith(".dist-info/METADATA")]
with tarfile.open(archive) as opened:
    texts += [opened.extractfile(each).read() for each in opened if each.name.count("/") == 1 and each.name.endswith("/PKG-INFO")]
assert len(texts) == 2
for text in texts:
    metadata = Metadata.from_email(text, validate=True)
    assert metadata.description_content_type == "text/markdown" and metadata.license_expression and metadata.license_files
    # What twine checks: an archive without a description is refused only when it is uploaded.
    assert metadata.description and metadata.description.strip() != "UNKNOWN", "there is no description"
    assert metadata.metadata_version in ("2.1", "2.2", "2.3", "2.4"), f"no twine knows metadata {metadata.metadata_version}"
others = {name.split("/")[0] for name in names} - {"perch_client", f"perch_client-{metadata.version}.dist-info"}
assert not others, f"the wheel installs {others} beside the package"
`;

/** @returns problems of the metadata, and of what the wheel installs */
export function problemsOfPython({ python, env }, { wheel, archive }) {
  const { status, stderr } = spawnSync(python, ['-c', metadataCheck, wheel, archive], { encoding: 'utf8', env });
  const problems = status === 0 ? [] : [`perch-client: ${stderr.trim()}`];
  return [...problems, ...(problemsOfTwine({ python, env }, { wheel, archive }) ?? [])];
}

/** Runs `twine check`, as the index's own action does before an upload. @returns null where this Python has no twine 6.1: older ones do not know metadata 2.4 */
export function problemsOfTwine({ python, env }, { wheel, archive }) {
  const twine = (...args) => spawnSync(python, ['-m', 'twine', ...args], { encoding: 'utf8', env });
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(twine('--version').stdout) ?? [];
  if (Number(major) < 6 || (Number(major) === 6 && Number(minor) < 1)) return null;
  const { status, stdout, stderr } = twine('check', '--strict', wheel, archive);
  return status === 0 ? [] : [`perch-client: twine check: ${stdout}${stderr}`];
}
