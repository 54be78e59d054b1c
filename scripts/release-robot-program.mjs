/**
 * `node scripts/release-robot-program.mjs FILE`: signs the robot program of this commit as `perch robot sign` does, with the private key in PEM in
 * PERCH_ROBOT_SIGNING_KEY. It runs the sources of that command without an installation, so that no package of others runs where the key is (Node 22.18 or newer).
 */
import { createPrivateKey } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const [file] = process.argv.slice(2);
const pem = process.env.PERCH_ROBOT_SIGNING_KEY;
if (!file || !pem) {
  process.stderr.write('usage: PERCH_ROBOT_SIGNING_KEY=... node scripts/release-robot-program.mjs FILE\n');
  process.exit(64);
}

// Sources name each other as .js, and Node runs them as .ts.
module.registerHooks?.({
  resolve(specifier, context, next) {
    const url = specifier.startsWith('.') && specifier.endsWith('.js') ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL) : null;
    return next(url !== null && existsSync(fileURLToPath(url)) ? url.href : specifier, context);
  },
});

const { signedUpdateText, signUpdate } = await import('../packages/installer/src/node/signed-update.ts');
const signed = signUpdate(createPrivateKey(pem));
writeFileSync(file, signedUpdateText(signed));
process.stderr.write(`perch: signed ${signed.version} with the key ${signed.key}\n`);
