import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isObject } from '@perch/schema';
import { metaOf, newestRevision, takesStreams, type Era, type RpcRequest } from '../message.js';

const legacyRevisions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/** Null for all but the exact form of an era: the SDK serves or rejects those. @param name expected `Mcp-Name` header, if the method needs one */
export function eraOf(headers: IncomingHttpHeaders, { method, params }: RpcRequest, name?: string): Era | null {
  const version = headers['mcp-protocol-version'];
  const meta = metaOf(params);
  if (!(PROTOCOL_VERSION_META_KEY in meta)) {
    if (version !== undefined && !legacyRevisions.has(version as string)) return null;
    return headers.accept?.includes('application/json') === true && takesStreams(headers) ? 'legacy' : null;
  }
  const headersMatch = version === newestRevision && headers['mcp-method'] === method && (name === undefined || headers['mcp-name'] === name);
  const metaMatches =
    meta[PROTOCOL_VERSION_META_KEY] === newestRevision && isObject(meta[CLIENT_CAPABILITIES_META_KEY]) && isNamed(meta[CLIENT_INFO_META_KEY]);
  return headersMatch && metaMatches ? 'modern' : null;
}

function isNamed(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}
