/** The stream of events in the OpenAPI description, which knows no streams: as text, with the records in words and one example. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { limits } from '../limits.js';

export const eventStreamRules =
  'With `Accept: text/event-stream` the same events come as server-sent events until the client closes: first those kept after `after`, then each as it happens; with an `after` above the highest number only greater ones. ' +
  '`names` filters as ever; `seconds` changes nothing. The call takes one action of the bucket, the stream nothing more; ' +
  `a key may hold ${limits.events.streamsMax} streams open at a time. A client that does not read is cut, and goes on with its last id.`;

const records =
  'Records, each ended by a blank line.\n' +
  '- Without `event`: an event as `events` answers it in `data`, its `seq` in `id`.\n' +
  '- `event: gap`: events with numbers above `after` and below `next` of its `data` are missing: dropped because only the last ones are kept, or lost by the storage, after which numbering jumps.\n' +
  '- `event: end`: the last one, before the service closes the stream; `data` is a failure whose `code` says why. With `draining` or `service_unavailable`: connect again.\n' +
  '- `id` alone: how far the events were read that `names` left out.\n' +
  '- A comment every 15 s.';

const example = [
  'retry: 1000\n',
  'event: gap\nid: 6\ndata: {"after":2,"next":7}\n',
  'id: 7\ndata: {"seq":7,"name":"tap","data":{"x":160,"y":120},"at":"2026-01-01T11:59:58.250Z"}\n',
  ':\n',
  'event: end\nid: 7\ndata: {"ok":false,"error":"This instance of the service is stopping. Send the call again.","code":"draining","request_id":"q-4n7r2k9d1m"}\n',
].join('\n');

/** The response with the stream beside its JSON. */
export function withEventStream(response: OpenAPIV3_1.ResponseObject): OpenAPIV3_1.ResponseObject {
  const stream = { schema: { type: 'string' as const, description: records }, examples: { stream: { value: `${example}\n` } } };
  return { ...response, content: { ...response.content, 'text/event-stream': stream } };
}
