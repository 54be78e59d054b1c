/** Module hooks that resolve `express` to its stand-in. */
const standIn = new URL('./express-stand-in.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
  return specifier === 'express' ? { url: standIn, shortCircuit: true } : next(specifier, context);
}
