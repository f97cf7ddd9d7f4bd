import { IV_BYTES, TAG_BYTES } from '../../../../crypto/aead.ts'
import { decryptEnvelope } from '../../../../crypto/protocols/xks-envelope.ts'
import { USAGE } from '../../../../crypto/usage.ts'
import { keyAsOf } from '../../../../vault/keys/lifecycle/key-state.ts'
import {
  membersIn,
  opensWithData,
  recordsIn,
  type Inspector,
  type Maker,
  type Openers,
  type Search,
} from '../../../../vault/inspect/inspector.ts'
import { localKeys } from '../../../../vault/keys/store.ts'
import { cloudAKeys, keysOfStore, type StoredCloudAKey } from '../../keys/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from '../store.ts'
import { versionInMetadata } from './metadata.ts'

/** The proxy refuses every envelope of a key whose latest version is deactivated, compromised or destroyed. */
async function latestEnded({ caller, now }: Search['context'], name: string): Promise<string[]> {
  const latest = await localKeys.find(caller.domain.id, 'name', name)
  const { state, archiveDate } = latest === undefined ? {} : keyAsOf(latest.item, now)
  if ((state === 'Active' || state === 'Pre-Active') && archiveDate === undefined) return []
  return [`The latest version of the key ${name} is deactivated or archived.`]
}

const openersOf = ({
  credentials,
  cloud_a_param: { custom_key_store_id: inCloud },
}: StoredCustomKeyStore): Openers[] => [
  { kind: 'access key', names: credentials.map(({ access_key_id }) => access_key_id) },
  { kind: "principal with the cloud's permission on the key, through the key store", names: inCloud ? [inCloud] : [] },
]

function makersOf(search: Search, store: StoredCustomKeyStore, key: StoredCloudAKey): Maker[] {
  const { local_key_name: name, local_hosted_params: hosted } = key
  const { ciphertext, iv, tag, metadata } = partsIn(search)
  const version = versionInMetadata(metadata)
  if (name === undefined || hosted === undefined || version === undefined) return []
  return [
    {
      endpoint: { kind: 'key store', id: store.id, name: store.name, uri: store.uri },
      key: { kind: 'hosted key', id: key.id, name: key.cloud_a_param.Alias[0] ?? name, uri: key.uri },
      local: { name, version },
      usage: USAGE.decrypt,
      isInHeader: true,
      proves: (material) =>
        opensWithData(material, search.parts, (aad) =>
          decryptEnvelope(material, { ciphertext, iv, tag, aad, metadata }),
        ),
      obstacles: async () => [
        ...(store.local_hosted_params?.blocked === true ? [`The key store ${store.name} is blocked.`] : []),
        ...(hosted.blocked ? ['The hosted key is blocked.'] : []),
        ...(await latestEnded(search.context, name)),
      ],
      openers: () => openersOf(store),
    },
  ]
}

const EMPTY = Buffer.alloc(0)
const partsIn = ({ parts: { bytes, iv = EMPTY, tag = EMPTY, metadata = EMPTY } }: Pick<Search, 'parts'>) => ({
  ciphertext: bytes,
  iv,
  tag,
  metadata,
})

/** Envelopes of external key stores. The metadata name the version; the tag proves the key. */
export const envelopes: Inspector = {
  kind: 'envelope of an external key store',
  hasForm: (parts) => {
    const { iv, tag, metadata } = partsIn({ parts })
    return iv.length === IV_BYTES && tag.length === TAG_BYTES && versionInMetadata(metadata) !== undefined
  },
  makers: async function* (search) {
    const domain = search.context.caller.domain.id
    for await (const stores of recordsIn(customKeyStores, search, 'ReadCloudACustomKeyStore'))
      for (const store of stores.filter(({ type }) => type === 'LOCAL'))
        for await (const keys of membersIn(cloudAKeys, domain, keysOfStore(store.id)))
          yield keys.flatMap((key) => makersOf(search, store, key))
  },
}
