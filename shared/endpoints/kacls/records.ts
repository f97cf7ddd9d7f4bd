import { hash } from 'node:crypto'
import { picked, without } from '../../base/fields.ts'
import { ekmAlgorithm } from '../../crypto/protocols/ekm-algorithms.ts'
import { hashOf } from '../../rego/light.ts'
import type { KekSpec } from '../../endpoint/kek.ts'
import type { EndpointKind } from '../../endpoint/kinds.ts'
import { uriOfEndpoint, urlOf } from './identifiers.ts'
import type { KaclsEndpoint, PrivilegedUnwrapConfiguration } from './model.ts'
import { kaclsEndpoints, type KaclsEndpointRow, type StoredKaclsEndpoint } from './store.ts'

/** The local key of an endpoint, which wraps the keys of documents. */
export const KACLS_KEK: KekSpec = ekmAlgorithm('AES256')

/** Whether privileged unwrapping is allowed to every person whom the identity provider vouches for. */
const opensToAll = ({ allow_privileged_unwrap, privileged_unwrap, perimeter }: StoredKaclsEndpoint): boolean =>
  allow_privileged_unwrap && privileged_unwrap?.users === undefined && perimeter === undefined

const OPENS_TO_ALL =
  'allow_privileged_unwrap without users lets every person of the identity provider open every key: name users in the privileged-unwrap-configuration.'

/** An endpoint as shown. */
const present = (endpoint: StoredKaclsEndpoint): KaclsEndpoint => ({
  ...without(
    endpoint,
    'own_url',
    'providers',
    'perimeter',
    'privileged_unwrap',
    'rewrap',
    'signing_keys',
    'sealed',
    'own_key',
  ),
  endpoint_url: urlOf(endpoint),
  authorizationAud: endpoint.authorizationAud ?? null,
  cors: endpoint.cors ?? null,
  meta: endpoint.meta ?? null,
  ...(opensToAll(endpoint) && { warnings: [OPENS_TO_ALL] }),
})

/** Ours: the list of users contains people, possibly many: an audit record only states that it changed. */
const toldOf = ({ kacls_base_url, users }: PrivilegedUnwrapConfiguration): object => ({
  kacls_base_url,
  users: users && hash('sha256', JSON.stringify(users)),
})

/** Ours: the text of a policy belongs to its owner: records contain its hash. */
const audited = (endpoint: StoredKaclsEndpoint): Readonly<Record<string, unknown>> => ({
  ...picked(
    endpoint,
    'name',
    'endpoint_url_hostname',
    'own_url',
    'issuer',
    'authenticationAud',
    'authorizationAud',
    'cors',
    'kekName',
    'kekID',
    'kek_version',
    'allow_guest_access',
    'allow_privileged_unwrap',
    'status',
    'rewrap',
  ),
  perimeter: endpoint.perimeter && hashOf(endpoint.perimeter.dialect, endpoint.perimeter.text),
  privileged_unwrap: endpoint.privileged_unwrap && toldOf(endpoint.privileged_unwrap),
  signing_key: endpoint.signing_keys[0]?.kid,
})

/** Endpoints that Workspace and its browsers call. */
export const kaclsEndpointKind: EndpointKind<StoredKaclsEndpoint, KaclsEndpointRow, KaclsEndpoint> = {
  noun: 'KACLS endpoint',
  entity: kaclsEndpoints,
  uri: uriOfEndpoint,
  present,
  audited,
  kekIdOf: ({ kekID }) => kekID,
  renewed: (endpoint, { id, version }) => ({ ...endpoint, kekID: id, kek_version: String(version) }),
  usageOf: () => KACLS_KEK.usage,
}
