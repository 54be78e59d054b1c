/** Preloaded into a gateway (`--import`): what it imports as express is then express-stand-in.mjs. The gateway itself is the built one. */
import { register } from 'node:module';

register('./stand-in-hooks.mjs', import.meta.url);
