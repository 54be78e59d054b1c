/** Every way in. What comes later (the web page's calls) is a file beside these and a line here. */
import { httpActions } from './http-actions.js';
import { httpShapes } from './http-shapes.js';
import { linkTarget } from './link.js';
import { mcpCalls } from './mcp-calls.js';
import { mcpMessages } from './mcp-messages.js';
import { slow } from './slow.js';
import type { Target } from './target.js';
import { webhooks } from './webhooks.js';

export const targets: readonly Target[] = [httpShapes, httpActions, mcpMessages, mcpCalls, webhooks, linkTarget, slow];
