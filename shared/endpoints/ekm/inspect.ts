import { BLOB_OVERHEAD_BYTES, openBlob, versionInBlob } from '../../crypto/protocols/ekm-blob.ts'
import { USAGE } from '../../crypto/usage.ts'
import {
  byPolicy,
  opensWithData,
  recordsIn,
  type Inspector,
  type Maker,
  type Openers,
  type Search,
} from '../../vault/inspect/inspector.ts'
import { hashOfPolicy } from './policy-text.ts'
import { cryptoSpaces } from './spaces/store.ts'
import { ekmEndpoints, type StoredEkmEndpoint } from './store.ts'

const FORMAT = 1

function openersOf(endpoint: StoredEkmEndpoint): Openers[] {
  const { basic } = endpoint.policy
  if (basic === undefined) return byPolicy('callers whom the Rego policy allows, by its hash', hashOfPolicy(endpoint))
  return [
    { kind: 'service account', names: basic.clients },
    { kind: 'only for the justification', names: basic.justification_reason ?? [] },
    { kind: 'only from the attested project', names: basic.attestation_project_ids ?? [] },
    { kind: 'only from the attested instance', names: basic.attestation_instance_names ?? [] },
    { kind: 'only from the attested zone', names: basic.attestation_zones ?? [] },
  ]
}

async function obstaclesOf({ context }: Search, endpoint: StoredEkmEndpoint): Promise<string[]> {
  const { name, enabled, destroyedAt, cryptospace_id: spaceId } = endpoint
  const space = spaceId === undefined ? undefined : await cryptoSpaces.get(context.caller.domain.id, spaceId)
  return [
    ...(destroyedAt === undefined ? [] : [`The key of the EKM endpoint ${name} is destroyed.`]),
    ...(enabled ? [] : [`The EKM endpoint ${name} is disabled.`]),
    ...(space?.item.blocked === true ? [`The crypto space ${space.item.name} is blocked.`] : []),
  ]
}

function makerOf(search: Search, endpoint: StoredEkmEndpoint): Maker {
  const { bytes } = search.parts
  return {
    endpoint: { kind: 'EKM endpoint', id: endpoint.id, name: endpoint.name, uri: endpoint.uri },
    local: { name: endpoint.kekName, version: versionInBlob(bytes) },
    usage: USAGE.unwrap,
    isInHeader: true,
    proves: (material, version) =>
      opensWithData(material, search.parts, (aad) => openBlob(material, version, bytes, aad)),
    obstacles: () => obstaclesOf(search, endpoint),
    openers: () => openersOf(endpoint),
  }
}

/** Wrapped blobs of EKM endpoints. */
export const wrappedBlobs: Inspector = {
  kind: 'wrapped blob of an EKM endpoint',
  hasForm: ({ bytes, iv, tag, metadata }) =>
    (iv ?? tag ?? metadata) === undefined && bytes.length > BLOB_OVERHEAD_BYTES && bytes[0] === FORMAT,
  makers: async function* (search) {
    for await (const endpoints of recordsIn(ekmEndpoints, search, 'ReadEKMEndpoint'))
      yield endpoints.filter(({ key_type }) => key_type === 'symmetric').map((endpoint) => makerOf(search, endpoint))
  },
}
