import type { KeyObject } from 'node:crypto'
import { decryptGcm, IV_BYTES, TAG_BYTES } from '../../crypto/aead.ts'
import { decryptOaep } from '../../crypto/rsa/oaep.ts'
import { USAGE } from '../../crypto/usage.ts'
import {
  opens,
  opensWithData,
  recordsIn,
  setIn,
  type Inspector,
  type Maker,
  type Parts,
  type Search,
} from '../../vault/inspect/inspector.ts'
import { OAEP } from './data/algorithms.ts'
import { uriOfKey } from './identifiers.ts'
import { externalKeys, keysOfStore, type StoredExternalKey } from './keys/store.ts'
import { datacustKeystores, type StoredDatacustKeystore } from './stores/store.ts'

/** Sizes of the RSA keys of external keys. */
const RSA_BYTES = [384, 512]

const isSealed = ({ iv, tag, metadata }: Parts): boolean =>
  iv?.length === IV_BYTES && tag?.length === TAG_BYTES && metadata === undefined
const isRsa = ({ bytes, iv, tag, metadata, aad }: Parts): boolean =>
  (iv ?? tag ?? metadata ?? aad) === undefined && RSA_BYTES.includes(bytes.length)

function isMadeBy(material: KeyObject, parts: Parts): boolean | undefined {
  const { bytes, iv, tag } = parts
  if (iv !== undefined && tag !== undefined)
    return opensWithData(material, parts, (aad) => decryptGcm(material, { ciphertext: bytes, tag }, iv, aad))
  if (material.type !== 'private' || material.asymmetricKeyType !== 'rsa') return false
  return Object.values(OAEP).some((digest) => opens(() => decryptOaep(material, digest, bytes)))
}

const obstaclesOf = (store: StoredDatacustKeystore, key: StoredExternalKey): string[] => [
  ...(store.state === 'ACTIVE' ? [] : [`The external key store ${store.name} is ${store.state.toLowerCase()}.`]),
  ...(store.blocked ? [`The external key store ${store.name} is blocked.`] : []),
  ...(key.state === 'Enabled' ? [] : [`The external key ${key.name} is ${key.state.toLowerCase()}.`]),
  ...(key.blocked ? [`The external key ${key.name} is blocked.`] : []),
]

const makersOf = ({ context, parts }: Search, store: StoredDatacustKeystore, key: StoredExternalKey): Maker[] =>
  key.versions.map(({ source_key_id: id }) => ({
    endpoint: { kind: 'external key store', id: store.id, name: store.name, uri: store.uri },
    key: { kind: 'external key', id: key.id, name: key.name, uri: uriOfKey(context.caller.domain.id, key.id) },
    local: { id },
    usage: USAGE.decrypt,
    isInHeader: false,
    proves: (material) => isMadeBy(material, parts),
    obstacles: () => obstaclesOf(store, key),
    openers: () => [
      { kind: 'tenant of the platform', names: [store.sap_tenant_id] },
      { kind: 'client certificate, by its SHA-256', names: [store.certificate_sha256] },
    ],
  }))

/** Ciphertexts of external keys. */
export const keystoreCiphertexts: Inspector = {
  kind: 'ciphertext of an external key',
  hasForm: (parts) => isSealed(parts) || isRsa(parts),
  makers: async function* (search) {
    const domain = search.context.caller.domain.id
    for await (const stores of recordsIn(datacustKeystores, search, 'ReadDatacustKeystore'))
      for (const store of stores)
        for await (const keys of setIn(externalKeys, domain, keysOfStore(store.id)))
          for (const key of keys) yield makersOf(search, store, key)
  },
}
