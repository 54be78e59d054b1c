/** The names of commands and options; test-e2e/systems/runbooks.long.test.ts runs them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pageCommands } from '@perch/testkit';
import { runProgram } from '../src/program.js';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const pages = ['operate', 'runbooks'].flatMap((folder) => readdirSync(docs + folder).map((name) => `${folder}/${name}`));

describe('the pages for operators', () => {
  it('name only existing commands of perch, with existing options', async () => {
    const commands = pages
      .flatMap(pageCommands)
      .filter(({ kind }) => kind === 'shell')
      .flatMap(({ page, line, text }) =>
        [...text.matchAll(/(?:^|[|;(] ?|(?:--rm|-T) )perch ([a-z][a-z-]*(?: [a-z][a-z-]*(?![\w@.=-]))*)([^\n|)]*)/gm)].map(([, words, rest]) => ({
          where: `docs/${page}:${line}`,
          words: words!,
          rest: rest!,
        })),
      );
    assert.ok(commands.length > 20, `${commands.length} commands`);
    for (const { where, words, rest } of commands) {
      let help = '';
      const code = await runProgram([...words.split(' '), '--help'], {
        environment: {},
        out: (text) => (help += text),
        err: (text) => (help += text),
      });
      assert.equal(code, 0, `${where}: perch ${words}\n${help}`);
      // The help of a group would succeed for any word after it.
      assert.match(help, new RegExp(`^Usage: perch ${words}\\b`, 'm'), where);
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(option), `${where}: perch ${words} ${option}`);
    }
  });
});
