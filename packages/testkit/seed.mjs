/** Lets tests of properties draw the same values in every run, unless PERCH_TEST_SEED is another number or `random`. */
import { createRequire } from 'node:module';
import process from 'node:process';
import * as imported from 'fast-check';

const seed = process.env.PERCH_TEST_SEED ?? '20261130';
// Compiled tests import the library; what tsx loads requires it, which is another instance.
const instances = [imported, createRequire(import.meta.url)('fast-check')];
if (seed !== 'random') for (const { configureGlobal } of instances) configureGlobal({ seed: Number(seed) });
