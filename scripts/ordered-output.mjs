import process from 'node:process';

/** Returns `count` writers to standard output. The first one writes at once; the lines of each other one are kept until those before it have ended. */
export function orderedOutputs(count) {
  const kept = Array.from({ length: count }, () => []);
  const ended = new Set();
  let current = 0;
  const write = (line) => process.stdout.write(`${line}\n`);
  return kept.map((lines, i) => ({
    print: (line) => (i === current ? write(line) : lines.push(line)),
    end() {
      ended.add(i);
      while (current < count && ended.has(current)) kept[++current]?.splice(0).forEach(write);
    },
  }));
}
