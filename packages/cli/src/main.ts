#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { runProgram } from './program.js';

// A reader such as head may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  outBytes: (bytes) => process.stdout.write(bytes),
  isTerminal: process.stdout.isTTY,
  err: (text) => process.stderr.write(text),
  ...(process.stdin.isTTY && { ask }),
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
