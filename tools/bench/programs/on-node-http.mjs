/** Preloaded into a built gateway (`--import`): runs the bundle of bundle-bare-gateway.mjs, with express-stand-in.mjs in place of express. */
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(
    `export const resolve = (specifier, context, next) => next(specifier.replace(/\\/services\\/gateway\\/dist\\/main\\.js$/, '/services/gateway/dist/bare-main.js'), context);`,
  )}`,
);
