/** Exits if Node is too old, before importing anything that it could not parse. */
import process from 'process';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Perch needs Node 20.19 or newer; this is ${process.versions.node} (${process.execPath}).\n`);
  process.exit(1);
}
