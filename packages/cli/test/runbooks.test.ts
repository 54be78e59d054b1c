import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../src/program.js';

const folder = fileURLToPath(new URL('../../../docs/runbooks/', import.meta.url));

describe('the runbooks', () => {
  it('names only existing commands of perch, with existing options', async () => {
    const commands = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/`perch ([a-z]+(?: [a-z]+)*)([^`]*)`/g)].map(([, words, rest]) => ({
        file,
        words: words!.trim(),
        rest: rest!,
      })),
    );
    assert.ok(commands.length >= 2, `${commands.length} commands`);
    for (const { file, words, rest } of commands) {
      let help = '';
      const code = await runProgram([...words.split(' '), '--help'], {
        environment: {},
        out: (text) => (help += text),
        err: (text) => (help += text),
      });
      assert.equal(code, 0, `${file}: perch ${words}\n${help}`);
      // The help of a group would succeed for any word after it.
      assert.match(help, new RegExp(`^Usage: perch ${words}\\b`, 'm'), file);
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(option), `${file}: perch ${words} ${option}`);
    }
  });
});
