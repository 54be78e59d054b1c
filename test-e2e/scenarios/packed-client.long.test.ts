import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Person } from '@perch/virtual-robot';
import ts from 'typescript-oldest';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { PackedClient } from '../fixture/clients/packed-client.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);
const scripts: ReadonlySet<string> = new Set(['ts', 'js', 'typescript', 'javascript']);

/** The examples of the README, each after the first one, which they continue, and those of docs/clients. */
async function examplesByName(): Promise<Record<string, string>> {
  const textsOf = async (page: string): Promise<string[]> =>
    (await codeBlocks(page)).filter(({ language }) => scripts.has(language)).map(({ text }) => text);
  const [first, ...others] = await textsOf('packages/client/README.md');
  assert.ok(others.length >= 7, `${others.length} examples`);
  const pages = (await readdir(new URL('../../docs/clients/', import.meta.url))).filter((name) => name.endsWith('.md'));
  const ofPages = await Promise.all(pages.map(async (page) => (await textsOf(`docs/clients/${page}`)).map((text) => [page, text] as const)));
  return Object.fromEntries([
    ...others.map((example, i) => [`example-${i + 1}`, `${first}\n${example}`]),
    ...ofPages.flat().map(([page, text], i) => [`${page.replace('.md', '')}-${i + 1}`, text]),
  ]) as Record<string, string>;
}

/** `Perch` makes these; a program never calls their constructors. */
const madeByPerch: ReadonlySet<string> = new Set(['RobotClient', 'GroupClient']);

/** Returns the types that exported declarations of the package name and that it does not export. @param index its `index.d.ts` */
function typesNotExported(index: string): string[] {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022 };
  const program = ts.createProgram([index], { ...options, types: [], lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] });
  const checker = program.getTypeChecker();
  const whole = (symbol: ts.Symbol): ts.Symbol => ((symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol));
  const exported = new Set(checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)!)!).map(whole));
  const missing = new Set<string>();
  const isOwn = ({ flags, declarations = [] }: ts.Symbol): boolean =>
    (flags & ts.SymbolFlags.TypeParameter) === 0 && declarations.some((each) => each.getSourceFile().fileName.startsWith(dirname(index)));
  const visit = (node: ts.Node): void => {
    const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
    if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword)) return;
    if (ts.isConstructorDeclaration(node) && madeByPerch.has(node.parent.name?.text ?? '')) return;
    const named = ts.isTypeReferenceNode(node) ? node.typeName : ts.isExpressionWithTypeArguments(node) ? node.expression : null;
    const symbol = named === null ? undefined : checker.getSymbolAtLocation(named);
    if (symbol !== undefined && isOwn(whole(symbol)) && !exported.has(whole(symbol))) missing.add(symbol.name);
    ts.forEachChild(node, visit);
  };
  for (const { declarations = [] } of exported) for (const declaration of declarations) visit(declaration);
  assert.ok(exported.size > 60, `${exported.size} exports`);
  return [...missing].toSorted();
}

onSharedSystems(
  'the packed client',
  (system) => {
    let packed: PackedClient;
    before(async () => {
      packed = await PackedClient.make();
    });
    after(() => packed.remove());

    it('the packed client contains what it needs and nothing else', () => {
      assert.ok(packed.files.includes('README.md') && packed.files.includes('dist/index.d.ts'));
      assert.deepEqual(
        packed.files.filter((file) => !/^(?:dist|src)\/[a-z.-]+\.(?:js|d\.ts|ts)(?:\.map)?$|^(?:README\.md|package\.json)$/.test(file)),
        [],
      );
    });

    it('the packed client exports every type that its public declarations name', () => {
      assert.deepEqual(typesNotExported(join(packed.folder, 'node_modules/@perch/client/dist/index.d.ts')), []);
    });

    it('the set-up of docs/clients/typescript.md gives a project in which its program compiles', async function () {
      this.timeout(120_000);
      const blocks = await codeBlocks('docs/clients/typescript.md');
      const init = /^npx tsc (--init .*)$/m.exec(blocks.find(({ language }) => language === '')?.text ?? '');
      const program = blocks.find(({ language }) => language === 'ts');
      assert.ok(init !== null && program !== undefined);
      const folder = join(packed.folder, 'page');
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
      await writeFile(join(folder, 'main.ts'), program.text);
      const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
      await run(process.execPath, [tsc, ...init[1]!.split(' ')], { cwd: folder });
      await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch((error: { stdout: string }) => assert.fail(error.stdout));
      await rm(folder, { recursive: true });
    });

    it('every example of the README and of docs/clients compiles with the strict options of TypeScript 5.4 and of the newest, and runs', async function () {
      this.timeout(120_000);
      const tenant = await system().tenant();
      const { robot: body } = await tenant.robot({ instant: true });
      const examples = await examplesByName();
      await packed.compile(examples, 'typescript-oldest');
      const compiled = await packed.compile(examples);
      const person = new Person(body, { thinkMs: 50, againMs: 100 });
      const pats = setInterval(() => void body.pat(), 200);
      try {
        const env = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key };
        for (const [name, path] of Object.entries(compiled)) {
          const { stdout, stderr } = await run(process.execPath, [path], { env, timeout: 20_000 });
          assert.equal(stderr, '', name);
          assert.notEqual(stdout, '', `${name} says what came of it`);
          if (name.startsWith('typescript')) assert.match(stdout, /^(Tea|Coffee)\n$/, name);
        }
        assert.ok('typescript-1' in compiled);
      } finally {
        clearInterval(pats);
        person.stop();
      }
      assert.deepEqual(body.violations, []);
    });
  },
  [shapes[0]!],
);
