/** Preloaded into a built gateway (`--import`): replaces express by express-stand-in.mjs. */
import { register } from 'node:module';

register('./stand-in-hooks.mjs', import.meta.url);
