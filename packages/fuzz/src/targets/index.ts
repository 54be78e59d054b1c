/** Every way in. What comes later (tools, the web page's calls) is a file beside these and a line here. */
import { httpActions } from './http-actions.js';
import { httpShapes } from './http-shapes.js';
import { linkTarget } from './link.js';
import { slow } from './slow.js';
import type { Target } from './target.js';

export const targets: readonly Target[] = [httpShapes, httpActions, linkTarget, slow];
