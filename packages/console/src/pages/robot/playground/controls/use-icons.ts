import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../../../api/api.js';
import type { CallError } from '../../../../api/call-error.js';

const none: readonly string[] = [];
const actionsWithIcons = ['show', 'ask', 'menu'];

/** Returns the names of the icons for the form of an action that takes one; empty until they are loaded. @param isWanted false: not loaded yet */
export function useIcons(action: string, isWanted: boolean): readonly string[] {
  const caller = useCaller();
  const { data = none } = useQuery<string[], CallError>({
    queryKey: ['icons'],
    queryFn: async ({ signal }) => (await caller.get<{ icons: { name: string }[] }>('/console/v1/icons', { signal })).icons.map(({ name }) => name),
    enabled: isWanted && actionsWithIcons.includes(action),
    staleTime: Infinity,
  });
  return data;
}
