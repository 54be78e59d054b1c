/** The event stream in the OpenAPI description: as text with one example, because OpenAPI has no streams. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { limits } from '../limits.js';

export const eventStreamRules =
  'With `Accept: text/event-stream`, the events are sent as server-sent events until the client closes the stream: first those kept after `after`, then each one as it happens. If `after` is above the highest number, only events with higher numbers are sent. ' +
  '`names` filters as usual; `seconds` is ignored. Opening a stream counts as one action against the rate limit; ' +
  `a key may have ${limits.events.streamsMax} streams open at a time. A client that does not read is disconnected, and can resume with its last id.`;

const records =
  'Records, each followed by a blank line.\n' +
  '- Without `event`: an event, in `data` in the same form as in the response of `events`, with its `seq` as `id`.\n' +
  '- `event: gap`: the events with numbers above `after` and below `next` of its `data` are missing. They were dropped because only the last ones are kept, or lost by the storage, after which numbering jumps.\n' +
  '- `event: end`: the last record before the service closes the stream; `data` is a failure whose `code` says why. With `draining` or `service_unavailable`, connect again.\n' +
  '- `id` alone: the position in the stream, after events that `names` filtered out.\n' +
  '- A comment every 15 s.';

const example = [
  'retry: 1000\n',
  'event: gap\nid: 6\ndata: {"after":2,"next":7}\n',
  'id: 7\ndata: {"seq":7,"name":"tap","data":{"x":160,"y":120},"at":"2026-01-01T11:59:58.250Z"}\n',
  ':\n',
  'event: end\nid: 7\ndata: {"ok":false,"error":"This instance of the service is stopping. Send the call again.","code":"draining","request_id":"q-4n7r2k9d1m"}\n',
].join('\n');

export function withEventStream(response: OpenAPIV3_1.ResponseObject): OpenAPIV3_1.ResponseObject {
  const stream = { schema: { type: 'string' as const, description: records }, examples: { stream: { value: `${example}\n` } } };
  return { ...response, content: { ...response.content, 'text/event-stream': stream } };
}
