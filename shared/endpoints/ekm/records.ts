import { Refusal } from '../../base/errors.ts'
import { picked, without } from '../../base/fields.ts'
import { ekmAlgorithm } from '../../crypto/protocols/ekm-algorithms.ts'
import { EXISTING_KEY } from '../../endpoint/kek.ts'
import type { EndpointKind } from '../../endpoint/kinds.ts'
import { uriOfEndpoint } from './identifiers.ts'
import type { EkmEndpoint } from './model.ts'
import { ekmEndpoints, type EkmEndpointRow, type StoredEkmEndpoint } from './store.ts'
import { dialectOfPolicy, hashOfPolicy } from './policy-text.ts'

/** Path before the key's id in the address that the cloud calls (`key_path`). */
const KEY_PATH = '/api/v1/keymgr/ekm/endpoints/'

const stateOf = ({ enabled, destroyedAt }: StoredEkmEndpoint): EkmEndpoint['state'] =>
  destroyedAt !== undefined ? 'DESTROYED' : enabled ? 'ENABLED' : 'DISABLED'

/** An endpoint as shown. */
function present(endpoint: StoredEkmEndpoint): EkmEndpoint {
  const keyPath = `${KEY_PATH}${endpoint.uri_kek_id}`
  return {
    ...without(endpoint, 'uri_kek_id', 'own_key', 'dialect', 'destroyedAt'),
    keyURI: `https://${endpoint.keyURIHostname}${keyPath}`,
    key_path: keyPath,
    state: stateOf(endpoint),
  }
}

/**
 * Ours: access-log records and the audit record of a change contain the policy's hash. The text belongs to the owner.
 */
const audited = (endpoint: StoredEkmEndpoint): Readonly<Record<string, unknown>> => ({
  ...picked(
    endpoint,
    'name',
    'keyURIHostname',
    'kekName',
    'kekID',
    'kekVersion',
    'enabled',
    'cvm_required_for_encrypt',
    'cvm_required_for_decrypt',
    'endpoint_type',
    'key_type',
    'algorithm',
    'raw_policy_enabled',
  ),
  state: stateOf(endpoint),
  policy: { dialect: dialectOfPolicy(endpoint), hash: hashOfPolicy(endpoint) },
})

/**
 * Ours: a signing endpoint keeps its key at the present version, since the cloud stores one public key for an address.
 */
function assertRenewable({ key_type: type, name }: StoredEkmEndpoint): void {
  if (type === 'asymmetric')
    throw new Refusal(
      'STATE_CONFLICT',
      `The EKM endpoint ${name} signs with this key, and its public key must stay: make a new endpoint.`,
    )
}

/** Endpoints that cloud-c calls. */
export const ekmEndpointKind: EndpointKind<StoredEkmEndpoint, EkmEndpointRow, EkmEndpoint> = {
  noun: 'EKM endpoint',
  entity: ekmEndpoints,
  uri: uriOfEndpoint,
  pointers: { kek: EXISTING_KEY },
  present,
  audited,
  kekIdOf: ({ kekID }) => kekID,
  renewed: (endpoint, { id, version }) => ({ ...endpoint, kekID: id, kekVersion: String(version) }),
  usageOf: ({ algorithm }) => ekmAlgorithm(algorithm).usage,
  assertRenewable,
}
