import type { AddKeyAnswer, AddKeyBody, KeysAnswer, RevokeKeyAnswer, RollKeyAnswer } from '@perch/schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';
import { webhooksKey } from './webhooks.js';

const keysKey = ['keys'];

/** @param intervalMs polling interval; default: no polling */
export function useKeys(intervalMs: number | false = false) {
  const caller = useCaller();
  return useQuery<KeysAnswer, CallError>({
    queryKey: keysKey,
    queryFn: ({ signal }) => caller.get('/console/keys', { signal }),
    refetchInterval: intervalMs,
  });
}

/** Creates a key. The response, which contains it, is not cached: the caller shows it once. */
export function useAddKey() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<AddKeyAnswer, CallError, AddKeyBody>({
    gcTime: 0,
    mutationFn: (body) => caller.post('/console/keys', body),
    onSuccess: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}

export function useRevokeKey() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<RevokeKeyAnswer, CallError, { id: string; removeWebhooks: boolean }>({
    mutationFn: ({ id, removeWebhooks }) =>
      caller.call('DELETE', `/console/keys/${encodeURIComponent(id)}${removeWebhooks ? '?webhooks=remove' : ''}`),
    onSuccess: (_, revoked) => {
      client.setQueryData<KeysAnswer>(keysKey, (answer) => answer && { ...answer, keys: answer.keys.filter(({ id }) => id !== revoked.id) });
      void client.invalidateQueries({ queryKey: webhooksKey });
      return client.invalidateQueries({ queryKey: keysKey });
    },
  });
}

/** Replaces the secret; as `useAddKey`. @returns mutation whose input is the overlap, seconds */
export function useRollKey(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<RollKeyAnswer, CallError, number>({
    gcTime: 0,
    mutationFn: (overlap_s) => caller.post(`/console/keys/${encodeURIComponent(id)}/secret`, { overlap_s }),
    onSuccess: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}

export function useEndFormerSecret(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError>({
    mutationFn: () => caller.call('DELETE', `/console/keys/${encodeURIComponent(id)}/former-secret`),
    // Also after a failure: it may have ended by itself.
    onSettled: () => client.invalidateQueries({ queryKey: keysKey }),
  });
}
