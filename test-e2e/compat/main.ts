/** `npm run compat` (scripts/run.mjs): runs the bench of compatibility. The last line is `N passed, N failed`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { SystemUnderTest, shapes } from '../fixture/system/system-under-test.js';
import { entriesOf, versionOf, type Entry } from './catalog.js';
import { checked, checkNames, type CheckName } from './checks.js';
import { converted } from './conversions.js';
import { installed, type Program } from './installed.js';
import { page, written, type ClientResult, type ConversionResult, type Outcome } from './table.js';

const help = `npm run compat -- [options]

  --only A,B   only files of test-e2e/compat/clients and converters whose names contain one of these; other rows of the page stay as they are
  --check A,B  only checks whose names contain one of these; the page stays as it is
  --help       show this help
`;

/** Rows that compute at a time; those that wait for a person's tap do not count. */
const atATime = 2;

const { values } = parseArgs({ options: { only: { type: 'string' }, check: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help === true) {
  process.stdout.write(help);
  process.exit();
}
const chosen = (name: string, list: string | undefined): boolean => list === undefined || list.split(',').some((part) => name.includes(part));
const ofFile = ({ file }: Entry): boolean => chosen(file.split('/').at(-1)!, values.only);
const clients = await entriesOf('clients');
const converters = await entriesOf('converters');
const slow: CheckName = 'wait past 60 s';

const began = performance.now();
let [passed, failed] = [0, 0];
const system = await SystemUnderTest.open(shapes[0]!);
try {
  const clientResults: ClientResult[] = [];
  const conversionResults: ConversionResult[] = [];
  const waiting: Promise<void>[] = [];
  const rows = [...clients, ...converters].flatMap((entry) => entry.versions.map((packages) => ({ entry, packages })));
  const all = rows.map((row) => {
    const { name } = row.entry;
    const result: ClientResult = { name, version: versionOf(row.packages), results: null };
    if (clients.includes(row.entry)) clientResults.push(result);
    const conversions = Object.entries(row.packages === row.entry.versions.at(-1) ? (row.entry.converts ?? {}) : {}).map(([what, target]) => {
      const conversion: ConversionResult = { name: what, version: versionOf(row.packages), target, outcome: null };
      conversionResults.push(conversion);
      return { conversion, target };
    });
    return { ...row, result, conversions };
  });
  const queue = all.filter(({ entry }) => ofFile(entry));
  const work = async (): Promise<void> => {
    for (let row; (row = queue.shift()) !== undefined;) {
      const { entry, packages, result, conversions } = row;
      const label = `${entry.name} ${result.version}`;
      let program: Program;
      try {
        program = await installed(entry, packages);
      } catch (error) {
        const why = `${Object.entries(packages)
          .map((pair) => pair.join('@'))
          .join(', ')} cannot be had: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
        result.results = { absent: why };
        for (const { conversion } of conversions) conversion.outcome = { absent: why };
        print(`${label}: not run here: ${why}`);
        continue;
      }
      const results: Partial<Record<CheckName, Outcome>> = {};
      result.results = results;
      const check = async (name: CheckName): Promise<void> => {
        const lack = entry.lacks?.[name];
        if (lack !== undefined) return void (results[name] = { lacks: lack });
        results[name] = counted(`${label}: ${name}`, await checked({ system, program }, name), entry.faults?.[name]);
      };
      const names = checkNames.filter((name) => clients.includes(entry) && chosen(name, values.check));
      if (names.includes(slow)) waiting.push(check(slow));
      for (const name of names.filter((each) => each !== slow)) await check(name);
      if (values.check === undefined || values.check === 'convert')
        for (const { conversion, target } of conversions)
          conversion.outcome = counted(
            `${conversion.name} ${result.version}`,
            await converted({ system, program }, conversion.name, target),
            entry.faults?.[conversion.name],
          );
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  await Promise.all(waiting);
  const errors = system.errors.splice(0);
  for (const error of errors) print(`failed: a service logged an error: ${error.slice(0, 400)}`);
  failed += errors.length;
  if (values.check === undefined) {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
    const run = { release: version, day: new Date().toISOString().slice(0, 10), node: process.version.slice(1) };
    writeFileSync(page, written(clientResults, conversionResults, run, existsSync(page) ? readFileSync(page, 'utf8') : ''));
    print('docs/clients/compatibility.md is written');
  }
} finally {
  await system.close();
}
print(`${Math.round((performance.now() - began) / 1000)} s`);
print(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** @param fault the client's own, by which this fails */
function counted(what: string, why: string | null, fault: string | undefined): Outcome {
  if (why !== null && fault !== undefined) {
    print(`known: ${what}: ${fault}: ${why}`);
    return { failed: fault };
  }
  const problem = fault === undefined ? why : 'passes now: remove it from its faults';
  if (problem === null) passed += 1;
  else failed += 1;
  print(problem === null ? `passed: ${what}` : `failed: ${what}: ${problem}`);
  return why === null ? { passed: true } : { failed: why };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
