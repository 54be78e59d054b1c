/**
 * For Node's option --import, with the folder of compiled tests (compile-tests.mjs) as `?folder=`: a program that is started from a TypeScript source of the
 * clone runs compiled.
 */
import { register } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const clone = new URL('..', import.meta.url).href;
const folder = pathToFileURL(`${new URL(import.meta.url).searchParams.get('folder')}/`);

// Hooks run in a thread of their own, which loads this file, too.
if (isMainThread) {
  register(import.meta.url);
  process.setSourceMapsEnabled(true);
}

export async function resolve(specifier, context, next) {
  const conditions = specifier.startsWith('@perch/') ? [...context.conditions, 'source'] : context.conditions;
  const found = await next(specifier, { ...context, conditions });
  if (!found.url.startsWith(clone) || !/\.tsx?$/.test(found.url)) return found;
  return next(new URL(found.url.slice(clone.length).replace(/\.tsx?$/, '.js'), folder).href, context);
}
