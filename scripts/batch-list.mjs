/**
 * Divides all test files into batches. A batch is run by one mocha process, which starts its own Redis, and its own services if it needs any.
 *
 * Long tests (`*.long.test.ts`, docs/testing.md) have batches of their own: `npm test` leaves them out, `npm test -- --long` runs nothing else.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesBelow } from './files-below.mjs';

/**
 * Kinds of test files, those that take longest first. A file belongs to the first kind whose path and text fit. Batches of a kind hold up to `filesEach` files: a mocha
 * process takes 2 s of a processor to load what the tests import, and long batches at the end of a run leave processors idle.
 */
const kinds = [
  { of: /^test-e2e\/systems\//, filesEach: 5 },
  { of: /^tools\/.*\.redis\.long\.test\.ts$|^packages\/launcher\/test\/(?:start|.*\.long\.)/, filesEach: 4 },
  // Consecutive browser tests share the browser and their services, consecutive scenarios their services.
  { of: /^test-e2e\/browser\//, filesEach: 9 },
  // Those with one instance of each service apart, so that only their batch starts such services.
  { of: /^test-e2e\//, text: /^onSingleInstances\(|^ {2}\[shapes\[0\]!\],$/m, filesEach: 11 },
  { of: /^test-e2e\//, filesEach: 16 },
  { of: /^services\/.*\.redis\.(?:long\.)?test\.ts$/, filesEach: 16 },
  { of: /\.redis\.(?:long\.)?test\.ts$/, filesEach: 22 },
  { of: /./, filesEach: 50 },
];

export const isLong = (file) => file.endsWith('.long.test.ts');

/** @param kind `short`: all but the long tests; `long`: these alone */
export const testFiles = (root, kind) => allTestFiles(root).filter((file) => isLong(file) === (kind === 'long'));

/** Deals files, with paths from the root of the clone, into batches. */
export function batchesOf(root, files) {
  const kindOf = (file) =>
    kinds.findIndex(({ of, text }) => of.test(file) && (text === undefined || text.test(readFileSync(join(root, file), 'utf8'))));
  return kinds.flatMap(({ filesEach }, place) =>
    dealt(
      files.filter((file) => kindOf(file) === place),
      filesEach,
    ),
  );
}

function allTestFiles(root) {
  const found = filesBelow(
    ['packages', 'services', 'tools', 'test-e2e'].map((folder) => join(root, folder)),
    (folder) => !/[/\\](?:node_modules|src|dist)$|[/\\]\.[^/\\]*$/.test(folder),
  );
  return found
    .map((file) => relative(root, file).replaceAll(sep, '/'))
    .filter((file) => /^(?:test-e2e|[^/]+\/[^/]+\/test)\/.*\.test\.ts$/.test(file))
    .toSorted();
}

/** Deals a list into the fewest parts of at most `max`. Neighbours, which often take similarly long, come into different parts. */
function dealt(list, max) {
  const count = Math.ceil(list.length / max);
  return Array.from({ length: count }, (_, i) => list.filter((_, at) => at % count === i));
}
