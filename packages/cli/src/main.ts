/** `npm run --silent perch -- ...` */
import { runProgram } from './program.js';

process.exitCode = await runProgram(process.argv.slice(2), {
  redisUrl: process.env['PERCH_REDIS_URL'] ?? '',
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
