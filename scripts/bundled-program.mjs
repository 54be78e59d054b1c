/**
 * Runs a bundled program of a service. scripts/bundle.mjs writes this file to `dist`, once for each program, with the name of its bundle.
 * Compiling a bundle takes most of a start: V8's code cache is kept beside it, written by the first process that finds none, and ignored by V8 where its
 * version or flags differ. Where the folder cannot be written to, as in a container, each start compiles.
 */
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import vm from 'node:vm';

/** By then a service has started, so that the cache has all functions that a start runs. */
const writtenAfterMs = 3000;

const bundle = fileURLToPath(new URL('BUNDLE_NAME', import.meta.url));
const cache = `${bundle}.${process.arch}-${cachedDataVersionTag()}.cache`;

const cachedData = cacheIfAny();
// The bundle is a function in ASCII.
const script = new vm.Script(readFileSync(bundle, 'latin1'), {
  filename: bundle,
  ...(cachedData !== null && { cachedData }),
});
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
if (cachedData === null || script.cachedDataRejected) setTimeout(writeCache, writtenAfterMs).unref();

function cacheIfAny() {
  try {
    return readFileSync(cache);
  } catch {
    return null;
  }
}

function writeCache() {
  try {
    accessSync(dirname(bundle), constants.W_OK);
    // Several processes may write it at once.
    const whole = `${cache}.${process.pid}`;
    writeFileSync(whole, script.createCachedData());
    renameSync(whole, cache);
  } catch {
    // A cache only saves time.
  }
}
