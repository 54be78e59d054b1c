/** Metadata of the MCP server as a protected resource (RFC 9728), and of the service as its authorization server (RFC 8414). */
import { keyScopes } from '@perch/schema';
import { resourceOf } from './authorization-request.js';

export const resourceMetadataPath = '.well-known/oauth-protected-resource/mcp';

export const resourceMetadata = (base: string): object => ({
  resource: resourceOf(base),
  authorization_servers: [base],
  scopes_supported: keyScopes,
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
  scopes_supported: keyScopes,
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

/** Parameters that a 401 of /mcp adds to its challenge (RFC 9728, 5.1). */
export function challengeOf(base: string): string {
  return `resource_metadata="${base}/${resourceMetadataPath}", scope="${keyScopes.join(' ')}"`;
}
