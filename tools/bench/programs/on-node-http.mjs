/**
 * Preloaded into a built gateway (`--import`): runs the bundle that bundle-bare-gateway.mjs has written, in which express-stand-in.mjs replaces express.
 */
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(
    `export const resolve = (specifier, context, next) => next(specifier.replace(/\\/services\\/gateway\\/dist\\/main\\.js$/, '/services/gateway/dist/bare-main.js'), context);`,
  )}`,
);
