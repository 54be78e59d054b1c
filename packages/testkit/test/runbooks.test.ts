import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageCommands } from '@perch/testkit';

const folder = fileURLToPath(new URL('../../../docs/runbooks/', import.meta.url));
const files = readdirSync(folder);
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** Settings of Redis, lines of its users file, texts of logs, and what stands before a command of `perch`. */
const noPrograms = new RegExp(
  [
    '^(?:user|lost writes:|aof-use-rdb-preamble|stop-writes-on-bgsave-error|latency-monitor-threshold|appendfsync|unknown command$|docker compose$)',
    '^(?:connect|read|getaddrinfo) E[A-Z_]+$',
    '^(?:no connection within|unable to|certificate has expired|self-signed certificate|disconnected before)',
    '^npm run --silent perch --$',
  ].join('|'),
);

describe('the runbooks', () => {
  it('mark what no test runs in the form that the tests read, and mark nothing else', () => {
    for (const file of files) {
      const marks = textOf(file).match(/not run by the tests: /g) ?? [];
      const read = pageCommands(`runbooks/${file}`).filter(({ notRun }) => notRun !== null);
      // README.md shows the form.
      assert.equal(marks.length, read.length + (file === 'README.md' ? 1 : 0), file);
    }
  });

  it('have only blocks of queries and of commands of a shell, so that each is run or marked', () => {
    for (const file of files) {
      const languages = [...textOf(file).matchAll(/^ *```(\w*)\n[\s\S]*?^ *```$/gm)].map(([, language]) => language!);
      assert.deepEqual(
        languages.filter((language) => !['promql', 'sh'].includes(language)),
        [],
        file,
      );
    }
  });

  it('name no program that the tests do not know, so that each command is run or marked', () => {
    const spans = files.flatMap((file) =>
      textOf(file)
        .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
        .split('\n')
        .flatMap((line) => [...line.matchAll(/`([a-z][\w./-]* [^`]+)`/g)].map(([, text]) => ({ file, text: text! }))),
    );
    const commands = new Set(files.flatMap((file) => pageCommands(`runbooks/${file}`).map(({ text }) => text)));
    const unknown = spans.filter(({ text }) => !commands.has(text.replaceAll('\\|', '|')) && !noPrograms.test(text));
    assert.deepEqual(unknown, []);
  });

  it('that are about no alert are listed in README.md, and linked from the page of an alert', () => {
    const situations = files.filter((file) => !file.startsWith('Perch') && file !== 'README.md');
    const listed = [...textOf('README.md').matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \|/gm)].map(([, file]) => file);
    assert.deepEqual(listed.toSorted(), situations);
    for (const file of situations) {
      const from = files.filter((other) => other.startsWith('Perch') && textOf(other).includes(`](${file}`));
      assert.ok(from.length > 0, `no page of an alert links to ${file}`);
    }
  });

  it('can be found by each refusal that the service counts, in the words of the log', () => {
    const table = /^## By what the log says\n([\s\S]*?)^## /m.exec(textOf('README.md'))![1]!;
    const words = [
      'READONLY',
      'MISCONF',
      'OOM',
      'NOPERM',
      'NOREPLICAS',
      'BUSY',
      'max number of clients',
      'LOADING',
      'CLUSTERDOWN',
      'NOAUTH',
      'WRONGPASS',
    ];
    for (const word of words) assert.ok(table.includes(word), word);
  });
});
