import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../../../api/api.js';
import type { CallError } from '../../../../api/call-error.js';

const actionsWithIcons = ['show', 'ask', 'menu'];

/** Returns the names of the icons for the form of an action that takes one; empty until they are loaded. */
export function useIcons(action: string): readonly string[] {
  const caller = useCaller();
  const { data = [] } = useQuery<string[], CallError>({
    queryKey: ['icons'],
    queryFn: async ({ signal }) => (await caller.get<{ icons: { name: string }[] }>('/console/v1/icons', { signal })).icons.map(({ name }) => name),
    enabled: actionsWithIcons.includes(action),
    staleTime: Infinity,
  });
  return data;
}
