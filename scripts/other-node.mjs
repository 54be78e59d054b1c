/** Runs a command and its child processes with another version of Node.js, from npm's package `node`. */
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import process from 'node:process';

/** Removes `--node VERSION`. @returns {version, args}; version is null if not given @throws an Error with a sentence for a wrong version */
export function nodeOption(args) {
  const at = args.findIndex((arg) => arg === '--node' || arg.startsWith('--node='));
  if (at < 0) return { version: null, args };
  const isPair = args[at] === '--node';
  const version = isPair ? (args[at + 1] ?? '') : args[at].slice('--node='.length);
  if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error(`--node ${version}: takes a version of Node.js, for example 24 or 20.19`);
  return { version, args: [...args.slice(0, at), ...args.slice(at + (isPair ? 2 : 1))] };
}

/** The folder of this version is first on PATH. @returns the script's exit code @throws if npm cannot provide the version */
export async function runWithNode(version, script, args) {
  const node = await nodeBinary(version);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(node, [script, ...args], { env, stdio: 'inherit' });
  const passOn = (signal) => child.kill(signal);
  process.on('SIGINT', passOn).on('SIGTERM', passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function nodeBinary(version) {
  return new Promise((resolve, reject) => {
    // npm's settings for this folder must not apply to this call.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(?!registry|cache|cafile|userconfig)/i.test(name)));
    const child = spawn('npx', ['--yes', '-p', `node@${version}`, '-c', 'node -p process.execPath'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      const path = output.trim().split('\n').at(-1) ?? '';
      if (code === 0 && path.startsWith('/')) resolve(path);
      else reject(new Error(`Node ${version} cannot be had from npm: ${errors.trim().split('\n').at(-1) || `npx ended with ${code}`}`));
    });
  });
}
