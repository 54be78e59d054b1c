import { queryOptions } from '@tanstack/react-query';
import type { CallError } from '../../../../api/call-error.js';
import type { Caller } from '../../../../api/caller.js';
import type { JsonSchema } from '../controls/schema-fields.js';

export interface PlayAction {
  name: string;
  summary: string;
  description: string;
  arguments: JsonSchema;
}

export function actionsQuery(caller: Caller) {
  return queryOptions<PlayAction[], CallError>({
    queryKey: ['actions'],
    queryFn: async ({ signal }) => (await caller.get<{ actions: PlayAction[] }>('/console/v1/actions', { signal })).actions,
    staleTime: Infinity,
  });
}
