import process from 'node:process';

/** For each of so many who speak at the same time: what the first says is written at once, what the next one says as soon as that one has ended. */
export function inTurn(count) {
  const kept = Array.from({ length: count }, () => []);
  const ended = new Set();
  let turn = 0;
  const write = (line) => process.stdout.write(`${line}\n`);
  return kept.map((lines, i) => ({
    say: (line) => (i === turn ? write(line) : lines.push(line)),
    end() {
      ended.add(i);
      while (turn < count && ended.has(turn)) kept[++turn]?.splice(0).forEach(write);
    },
  }));
}
