import assert from 'node:assert/strict';
import { entriesOf } from '../compat/catalog.js';
import { checked, checkNames } from '../compat/checks.js';
import { ofTheTree, versionInTree } from '../compat/installed.js';
import { onSingleInstances } from '../fixture/system/shared-systems.js';

/** `npm run compat` waits longer and takes every client; these two the tree has. */
onSingleInstances('clients of the bench in processes of their own', (system) => {
  for (const file of ['mcp-typescript-v1.mjs', 'mcp-typescript-v2.mjs'])
    for (const name of checkNames.filter((each) => each !== 'wait past 60 s'))
      it(`the newest client of ${file} passes: ${name}`, async function () {
        this.timeout(60_000);
        const entry = (await entriesOf('clients')).find((each) => each.file.endsWith(file))!;
        const [[packageName, version]] = Object.entries(entry.versions.at(-1)!) as [[string, string]];
        assert.equal(versionInTree(packageName), version, `name ${packageName} of the tree as the newest version in ${file}, and run npm run compat`);
        assert.equal(await checked({ system: system(), program: ofTheTree(entry) }, name), null);
      });
});
