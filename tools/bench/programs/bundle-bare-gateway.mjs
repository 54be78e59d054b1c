/** Bundles the gateway with express-stand-in.mjs in place of express, beside the bundle with express. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { openBundler } from '../../../scripts/bundle.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const express = fileURLToPath(new URL('express-stand-in.mjs', import.meta.url));

const { bundle, close } = await openBundler(root, 'gateway', { replaced: { express }, prefix: 'bare-' });
process.exitCode = (await bundle()) ? 0 : 1;
await close();
