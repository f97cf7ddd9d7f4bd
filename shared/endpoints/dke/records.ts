import { hash } from 'node:crypto'
import { picked, without } from '../../base/fields.ts'
import { USAGE } from '../../crypto/usage.ts'
import { EXISTING_KEY, type KekSpec } from '../../endpoint/kek.ts'
import type { EndpointKind } from '../../endpoint/kinds.ts'
import { keyPathOf, uriOfEndpoint, versionUuid } from './identifiers.ts'
import type { AuthorizationParams, DkeEndpoint } from './model.ts'
import { dkeEndpoints, type DkeEndpointRow, type StoredDkeEndpoint } from './store.ts'

/**
 * The local key of an endpoint. Ours: its usages are those that the interface names, though documents are decrypted
 * with it.
 */
export const DKE_KEK: KekSpec = {
  keyType: 'asymmetric',
  local: { algorithm: 'rsa', size: 2048 },
  usage: USAGE.sign | USAGE.verify,
}

/** An endpoint as shown. */
const present = (endpoint: StoredDkeEndpoint): DkeEndpoint => ({
  ...without(endpoint, 'own_key'),
  key_uri: `https://${endpoint.key_uri_hostname}${keyPathOf(endpoint)}`,
  kek_uuid: versionUuid(endpoint.id, Number(endpoint.kek_version)),
  auto_rotate: endpoint.labels !== undefined,
})

/**
 * Ours: the list of admitted users may contain a thousand addresses and belongs to the owner: an audit record only
 * states that it changed.
 */
const toldOf = (params: AuthorizationParams): object => ({
  ...picked(params, 'authorization_type', 'valid_issuers'),
  hash: hash('sha256', JSON.stringify(params)),
})

const audited = (endpoint: StoredDkeEndpoint): Readonly<Record<string, unknown>> => ({
  ...picked(
    endpoint,
    'name',
    'description',
    'key_uri_hostname',
    'kek_name',
    'kek_id',
    'kek_version',
    'status',
    'enable_success_audit_event',
    'auth_tenants',
    'labels',
  ),
  authorization_params: endpoint.authorization_params && toldOf(endpoint.authorization_params),
})

/** Endpoints that clients of the document suite call. */
export const dkeEndpointKind: EndpointKind<StoredDkeEndpoint, DkeEndpointRow, DkeEndpoint> = {
  noun: 'DKE endpoint',
  entity: dkeEndpoints,
  uri: uriOfEndpoint,
  pointers: { kek: EXISTING_KEY },
  present,
  audited,
  kekIdOf: ({ kek_id }) => kek_id,
  renewed: (endpoint, { id, version }) => ({ ...endpoint, kek_id: id, kek_version: String(version) }),
  usageOf: () => DKE_KEK.usage,
}
