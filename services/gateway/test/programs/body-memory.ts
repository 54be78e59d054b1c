/** Prints how much memory 64 bodies of 2 MB take, and how much of it the process returns once they are freed; MB as `taken returned`. */
import { readFileSync } from 'node:fs';
import { BodyBytes } from '../../src/http/json-body.js';

const mb = 1024 * 1024;
const rssMb = (): number => Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024);

// The port that frees bodies is closed a little after its module was loaded.
await new Promise((resolve) => setTimeout(resolve, 1000));
const sent = Buffer.alloc(2 * mb - 1000, 'x');
const before = rssMb();
const bodies = Array.from({ length: 64 }, () => {
  const bytes = new BodyBytes(2 * mb);
  bytes.append(sent);
  return bytes;
});
const held = rssMb();
for (const bytes of bodies) bytes.free();
process.stdout.write(`${held - before} ${held - rssMb()}`);
