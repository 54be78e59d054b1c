/** Compares what docs/runbooks and docs/operate name in commands of docker and kubectl with docker-compose.yml and the chart. runbooks.long.test.ts runs the runbooks. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pageCommands } from '@perch/testkit';
import { OperatorShell, root, shellCommands } from '../fixture/runbooks/operator-shell.js';

const operatorsCommands = readdirSync(join(root, 'docs/operate'))
  .flatMap((name) => pageCommands(`operate/${name}`))
  .filter(({ kind, notRun }) => kind === 'shell' && notRun === null);

describe('the pages for operators', function () {
  this.timeout(60_000);
  let shell: OperatorShell;
  before(function () {
    shell = new OperatorShell(this, null);
  });
  after(() => shell?.close());

  const isForContainers = /^(?:docker compose|kubectl) /;

  it('name in commands of docker compose and kubectl only what docker-compose.yml and the chart have', async () => {
    const commands = [...shellCommands, ...operatorsCommands].filter(({ text }) => isForContainers.test(text));
    assert.ok(commands.length > 35, `${commands.length} commands`);
    const runs = await Promise.allSettled(commands.map((command) => shell.run(command, command.text)));
    const wrong = runs.flatMap((each) => (each.status === 'rejected' ? [(each.reason as Error).message] : []));
    assert.deepEqual(wrong, []);
  });
});
