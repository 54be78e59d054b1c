import process from 'node:process';

/** Without a terminal, how often the line is printed. */
const everyMs = 30_000;

/**
 * One line that says how far a run of tests is: on a terminal it is replaced as the run goes on, elsewhere it is printed every 30 s.
 * A failing test is named at once: a run that is ended early has told it.
 * @returns `print` for other lines, `took` and `failed` for what happened, and `end`
 */
export function progressOf(files, { out = process.stdout, isTerminal = out.isTTY === true, repeatMs = everyMs } = {}) {
  const done = new Set();
  let failures = 0;
  const text = () =>
    `tests: ${done.size} of ${files} files, ${failures === 0 ? 'no failure' : failures === 1 ? '1 failure' : `${failures} failures`} so far`;
  const show = () => {
    if (isTerminal) out.write(`\r\u001b[K${text()}`);
  };
  const timer = isTerminal ? undefined : setInterval(() => out.write(`${text()}\n`), repeatMs);
  timer?.unref();
  return {
    print(line) {
      out.write(isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`);
      show();
    },
    took(file) {
      done.add(file);
      show();
    },
    failed(title) {
      failures += 1;
      this.print(`failing: ${title}`);
    },
    end() {
      clearInterval(timer);
      if (isTerminal) out.write('\r\u001b[K');
    },
  };
}
