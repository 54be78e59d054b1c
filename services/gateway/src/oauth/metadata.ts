/** Metadata of the MCP server as a protected resource (RFC 9728), and of the service as its authorization server (RFC 8414). */
import { defaultScopes, type KeyScope } from '@perch/schema';
import { resourceOf } from './authorization-request.js';

/** Clients ask for every scope that is listed here (MCP, authorization, scope selection), so it lists the default ones. */
export const resourceMetadataPath = '.well-known/oauth-protected-resource/mcp';

export const resourceMetadata = (base: string): object => ({
  resource: resourceOf(base),
  authorization_servers: [base],
  scopes_supported: defaultScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Perch',
  resource_documentation: `${base}/docs`,
});

export const serverMetadata = (base: string): object => ({
  issuer: base,
  authorization_endpoint: `${base}/authorize`,
  token_endpoint: `${base}/oauth/token`,
  registration_endpoint: `${base}/oauth/register`,
  revocation_endpoint: `${base}/oauth/revoke`,
  scopes_supported: defaultScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [resourceOf(base)],
  service_documentation: `${base}/docs`,
});

/** Parameters that a 401 or 403 of /mcp adds to its challenge (RFC 9728, 5.1; RFC 6750, 3.1). @param scopes that the client is to ask for */
export function challengeOf(base: string, scopes: readonly KeyScope[] = defaultScopes): string {
  return `resource_metadata="${base}/${resourceMetadataPath}", scope="${scopes.join(' ')}"`;
}
