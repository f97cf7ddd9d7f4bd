import type { KeyObject } from 'node:crypto'
import {
  opens,
  recordsIn,
  type Inspector,
  type Maker,
  type Openers,
  type Search,
} from '../../vault/inspect/inspector.ts'
import { localKeys } from '../../vault/keys/store.ts'
import { CIPHERTEXT_BYTES, decrypted } from './data/decrypt.ts'
import { dkeEndpoints, type StoredDkeEndpoint } from './store.ts'

const openersOf = ({ auth_tenants, authorization_params: params }: StoredDkeEndpoint): Openers[] => [
  { kind: 'user of the tenant', names: params?.valid_issuers ?? auth_tenants },
  { kind: 'only with the mail address', names: params?.email_authz_params?.authorized_email_addresses ?? [] },
  { kind: 'only in the group or role', names: params?.role_authz_params?.authorized_roles ?? [] },
]

const isMadeBy = (material: KeyObject, bytes: Buffer): boolean =>
  material.type === 'private' && material.asymmetricKeyType === 'rsa' && opens(() => decrypted(material, bytes))

/** A maker for each version of the endpoint's key: the ciphertext names none. */
async function makersOf({ context, parts: { bytes } }: Search, endpoint: StoredDkeEndpoint): Promise<Maker[]> {
  const { id, name, uri, status, kek_name } = endpoint
  const versions = await localKeys.members(context.caller.domain.id, kek_name)
  return versions.map((versionId) => ({
    endpoint: { kind: 'DKE endpoint', id, name, uri },
    local: { id: versionId },
    isInHeader: false,
    proves: (material) => isMadeBy(material, bytes),
    obstacles: () => (status === 'Enabled' ? [] : [`The DKE endpoint ${name} is ${status.toLowerCase()}.`]),
    openers: () => openersOf(endpoint),
  }))
}

/** Content keys of documents, encrypted with the public key of a DKE endpoint. */
export const documentKeys: Inspector = {
  kind: 'content key of a document',
  hasForm: ({ bytes, iv, tag, metadata }) => (iv ?? tag ?? metadata) === undefined && bytes.length === CIPHERTEXT_BYTES,
  makers: async function* (search) {
    for await (const endpoints of recordsIn(dkeEndpoints, search, 'ReadDKEEndpoint'))
      for (const endpoint of endpoints) yield await makersOf(search, endpoint)
  },
}
