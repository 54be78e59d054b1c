/** Webhooks and their deliveries, by the public API of /v1/webhooks with this session. */
import type { DeliveryView, EventName, WebhookChanges, WebhookView } from '@perch/schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';

const base = '/console/v1/webhooks';
export const webhooksKey = ['webhooks'];
const deliveriesKey = (id: string) => ['webhooks', id, 'deliveries'];
const pollIntervalMs = 3000;

export interface NewWebhook {
  url: string;
  names?: EventName[];
  robots?: string[];
}

export function useWebhooks() {
  const caller = useCaller();
  return useQuery<WebhookView[], CallError>({
    queryKey: webhooksKey,
    queryFn: async ({ signal }) => (await caller.get<{ webhooks: WebhookView[] }>(base, { signal })).webhooks,
  });
}

/** Creates a webhook. The response, which contains its secret, is not cached: the caller shows it once. */
export function useAddWebhook() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<{ webhook: WebhookView; secret: string }, CallError, NewWebhook>({
    gcTime: 0,
    mutationFn: (body) => caller.post(base, body),
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey, exact: true }),
  });
}

export function useChangeWebhook(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<{ webhook: WebhookView }, CallError, WebhookChanges>({
    mutationFn: (changes) => caller.call('PATCH', `${base}/${encodeURIComponent(id)}`, { body: changes }),
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey }),
  });
}

/** Replaces the secret; as `useAddWebhook`. @returns mutation whose input is the overlap, seconds */
export function useRollSecret(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<{ webhook: WebhookView; secret: string }, CallError, number>({
    gcTime: 0,
    mutationFn: (overlap_s) => caller.post(`${base}/${encodeURIComponent(id)}/secret`, { overlap_s }),
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey, exact: true }),
  });
}

export function useRemoveWebhook(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError>({
    mutationFn: () => caller.call('DELETE', `${base}/${encodeURIComponent(id)}`),
    onSuccess: () => {
      client.setQueryData<WebhookView[]>(webhooksKey, (webhooks) => webhooks?.filter((webhook) => webhook.id !== id));
      client.removeQueries({ queryKey: deliveriesKey(id) });
      return client.invalidateQueries({ queryKey: webhooksKey, exact: true });
    },
  });
}

export function useDeliveries(id: string) {
  const caller = useCaller();
  return useQuery<DeliveryView[], CallError>({
    queryKey: deliveriesKey(id),
    queryFn: async ({ signal }) =>
      (await caller.get<{ deliveries: DeliveryView[] }>(`${base}/${encodeURIComponent(id)}/deliveries`, { signal })).deliveries,
    refetchInterval: pollIntervalMs,
  });
}

export function useTestWebhook(id: string) {
  return useSending<void>(id, () => 'test');
}

export function useReplay(id: string) {
  return useSending<string>(id, (delivery) => `deliveries/${encodeURIComponent(delivery)}/replay`);
}

function useSending<T>(id: string, what: (input: T) => string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<DeliveryView, CallError, T>({
    mutationFn: async (input) => (await caller.post<{ delivery: DeliveryView }>(`${base}/${encodeURIComponent(id)}/${what(input)}`)).delivery,
    // Also refresh the webhook: a delivered test enables it again.
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey }),
  });
}
