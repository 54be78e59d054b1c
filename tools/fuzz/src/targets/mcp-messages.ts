/** Everything about a message to /mcp except the arguments of tools. */
import fc from 'fast-check';
import { drive } from '../drive.js';
import type { Shape } from '../http/shape.js';
import { shapeSender } from '../http/shape-sender.js';
import { headerShapes } from '../mcp/header-shapes.js';
import { messageShapes } from '../mcp/message-shapes.js';
import { rpcProblem } from '../mcp/rpc-problems.js';
import { secret } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const mcpMessages: Target = { name: 'mcp-messages', group: 'mcp', share: 0.05, attack: attackMessages };

const inFlight = 16;

async function attackMessages({ system, tally, seed, requests, log }: Attack): Promise<null> {
  log(`mcp-messages: ${requests}`);
  const send = shapeSender({ system, tally, target: 'mcp-messages', commonProblem: (answer) => rpcProblem(answer, secret) });
  await drive<Shape>({
    target: 'mcp-messages',
    arbitrary: fc.oneof(messageShapes(), headerShapes()),
    count: requests,
    seed,
    inFlight,
    send,
    tally,
  });
  return null;
}
