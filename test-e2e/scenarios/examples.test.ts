/** Some programs of `examples` as processes against the built services; `examples.long.test.ts` runs the others. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Person, type VirtualRobot } from '@perch/virtual-robot';
import { Example, examples } from '../fixture/clients/example.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'examples',
  (system) => {
    let tenant: Tenant;
    let id: string;
    let robot: VirtualRobot;
    let env: Record<string, string>;
    beforeEach(async () => {
      tenant = await system().tenant();
      ({ id, robot } = await tenant.robot({ instant: true }));
      env = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id };
    });

    it('every example is shorter than 60 lines and is listed among the recipes', async () => {
      const recipes = await readFile(`${examples}../docs/recipes.md`, 'utf8');
      const files = (await readdir(examples)).filter((file) => file.endsWith('.mjs'));
      assert.ok(files.length >= 6);
      for (const file of files) {
        assert.ok((await readFile(examples + file, 'utf8')).split('\n').length < 60, file);
        if (file !== 'robot.mjs') assert.ok(recipes.includes(`](../examples/${file})`), file);
      }
    });

    it('the quiz asks its questions and shows the score', async () => {
      const person = new Person(robot, { thinkMs: 50, againMs: 100 });
      try {
        const out = await new Example('quiz.mjs', env).result();
        assert.match(out, /^(?:.+: (?:right|no, \w+)\n){3}score \d\/3\n$/);
        const right = [...out.matchAll(/: right$/gm)].length;
        assert.ok(out.endsWith(`score ${right}/3\n`));
        assert.ok(robot.screen.card !== null);
      } finally {
        person.stop();
      }
    });
  },
  [shapes[0]!],
);
