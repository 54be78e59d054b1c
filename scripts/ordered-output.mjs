import process from 'node:process';

/** Keeps the lines of writers apart: the first that was opened writes at once, the lines of each later one wait for the end of those before. */
export function orderedOutputs() {
  const writers = [];
  const write = (line) => process.stdout.write(`${line}\n`);
  return {
    open() {
      const writer = { kept: [], ended: false };
      writers.push(writer);
      return {
        print: (line) => (writer === writers[0] ? write(line) : writer.kept.push(line)),
        end() {
          writer.ended = true;
          while (writers[0]?.ended) {
            writers.shift();
            writers[0]?.kept.splice(0).forEach(write);
          }
        },
      };
    },
  };
}
