/** Writes its environment, arguments and standard input as JSON. */
import { text } from 'node:stream/consumers';

process.stdout.write(JSON.stringify({ env: process.env, args: process.argv.slice(2), text: await text(process.stdin) }));
