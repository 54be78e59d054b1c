import { consoleBounds } from './console-bounds.js';
import { consoleCalls } from './console-calls.js';
import { consoleGate } from './console-gate.js';
import { consoleOidc } from './console-oidc.js';
import { consolePage } from './console-page.js';
import { flood } from './flood.js';
import { httpActions } from './http-actions.js';
import { httpShapes } from './http-shapes.js';
import { linkTarget } from './link.js';
import { mcpCalls } from './mcp-calls.js';
import { mcpMessages } from './mcp-messages.js';
import { slow } from './slow.js';
import type { Target } from './target.js';
import { webhooks } from './webhooks.js';

export const targets: readonly Target[] = [
  httpShapes,
  httpActions,
  mcpMessages,
  mcpCalls,
  webhooks,
  consoleGate,
  consoleCalls,
  consoleBounds,
  consoleOidc,
  consolePage,
  linkTarget,
  flood,
  slow,
];
