import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Person } from '@perch/virtual-robot';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { PackedClient } from '../fixture/clients/packed-client.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);

onSharedSystems(
  'the packed client',
  (system) => {
    it('the packed client contains what it needs and nothing else, and every example of its README compiles and runs', async () => {
      const tenant = await system().tenant();
      const { robot: body } = await tenant.robot({ instant: true });
      const examples = (await codeBlocks('packages/client/README.md')).filter(({ language }) => language === 'ts').map(({ text }) => text);
      assert.ok(examples.length >= 6, `${examples.length} examples`);
      const packed = await PackedClient.make();
      const person = new Person(body, { thinkMs: 50, againMs: 100 });
      const pats = setInterval(() => void body.pat(), 200);
      try {
        assert.ok(packed.files.includes('README.md') && packed.files.includes('dist/index.d.ts'));
        assert.deepEqual(
          packed.files.filter((file) => !/^(?:dist|src)\/[a-z.-]+\.(?:js|d\.ts|ts)(?:\.map)?$|^(?:README\.md|package\.json)$/.test(file)),
          [],
        );
        const [first, ...others] = examples;
        const programs = Object.fromEntries(others.map((example, i) => [`example-${i + 1}`, `${first}\n${example}`]));
        const compiled = await packed.compile(programs);
        const env = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key };
        for (const [name, path] of Object.entries(compiled)) {
          const { stdout, stderr } = await run(process.execPath, [path], { env, timeout: 20_000 });
          assert.equal(stderr, '', name);
          assert.notEqual(stdout, '', `${name} says what came of it`);
        }
      } finally {
        clearInterval(pats);
        person.stop();
        await packed.remove();
      }
      assert.deepEqual(body.violations, []);
    });
  },
  [shapes[0]!],
);
