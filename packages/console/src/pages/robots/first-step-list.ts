import type { ConsoleKey } from '@perch/schema';

export interface FirstStep {
  id: string;
  title: string;
  help: string;
  /** Page on which it is done; null: this one. */
  to: string | null;
  isDone: boolean;
}

/** Each is done once the service has seen it happen; a revoked key no longer counts. */
export function firstSteps(robotCount: number, keys: readonly Pick<ConsoleKey, 'last_used' | 'agent_at'>[]): FirstStep[] {
  return [
    { id: 'robot', title: 'Add a robot', help: 'A virtual robot runs in this browser; a real one shows a code.', to: null, isDone: robotCount > 0 },
    { id: 'key', title: 'Create a key', help: 'A key lets a program use your robots.', to: '/keys', isDone: keys.length > 0 },
    {
      id: 'program',
      title: 'Call a robot from a program',
      help: 'A new key comes with a curl command; the playground of a robot shows each request as curl, TypeScript and Python.',
      to: '/keys',
      isDone: keys.some(({ last_used }) => last_used !== null),
    },
    {
      id: 'agent',
      title: 'Connect an agent',
      help: 'A new key comes with the configuration for Claude, Cursor, VS Code and others.',
      to: '/keys',
      isDone: keys.some(({ agent_at }) => agent_at !== null),
    },
  ];
}
