import { hash } from 'node:crypto'
import { openFields, versionInBlob, type BlobOf } from '../../crypto/protocols/kacls-blob.ts'
import { USAGE } from '../../crypto/usage.ts'
import {
  byPolicy,
  isAes256,
  opens,
  recordsIn,
  type Inspector,
  type Maker,
  type Openers,
  type Search,
} from '../../vault/inspect/inspector.ts'
import { kaclsEndpoints, type StoredKaclsEndpoint } from './store.ts'

const KINDS = ['dek', 'private-key'] as const

/** The kind in the header of a blob, and the version; `undefined` for bytes of another form. */
function headerOf(bytes: Buffer): { readonly kind: BlobOf['kind']; readonly version: number } | undefined {
  const kind = KINDS.find((each) => opens(() => (versionInBlob(bytes, each), [])))
  return kind && { kind, version: versionInBlob(bytes, kind) }
}

const openersOf = (endpoint: StoredKaclsEndpoint): Openers[] => [
  { kind: 'user of the identity provider, whom the suite authorizes', names: endpoint.providers.map(({ iss }) => iss) },
  {
    kind: 'user with privileged unwrapping',
    names: endpoint.allow_privileged_unwrap
      ? (endpoint.privileged_unwrap?.users ?? ['everyone of the identity providers'])
      : [],
  },
  {
    kind: 'service that keys migrate to',
    names: endpoint.allow_privileged_unwrap ? (endpoint.privileged_unwrap?.kacls_base_url ?? []) : [],
  },
  ...byPolicy(
    'only within the perimeter, by the hash of its policy',
    endpoint.perimeter && hash('sha256', endpoint.perimeter.text),
  ),
]

function makersOf({ parts: { bytes } }: Search, endpoint: StoredKaclsEndpoint): Maker[] {
  const header = headerOf(bytes)
  if (header === undefined) return []
  const { id, name, uri, status } = endpoint
  return [
    {
      endpoint: { kind: 'KACLS endpoint', id, name, uri },
      local: { name: endpoint.kekName, version: header.version },
      usage: USAGE.unwrap,
      isInHeader: true,
      proves: (material, key) =>
        isAes256(material) && opens(() => openFields(material, { kind: header.kind, endpoint: id, key }, bytes)),
      obstacles: () => (status === 'Enabled' ? [] : [`The KACLS endpoint ${name} is ${status.toLowerCase()}.`]),
      openers: () => openersOf(endpoint),
    },
  ]
}

/** Wrapped keys of KACLS endpoints. They need no additional data, so the key always authenticates them. */
export const wrappedKeys: Inspector = {
  kind: 'wrapped key of a KACLS endpoint',
  hasForm: ({ bytes, iv, tag, metadata }) => (iv ?? tag ?? metadata) === undefined && headerOf(bytes) !== undefined,
  makers: async function* (search) {
    for await (const endpoints of recordsIn(kaclsEndpoints, search, 'ReadKACLSEndpoint'))
      yield endpoints.flatMap((endpoint) => makersOf(search, endpoint))
  },
}
