import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { unwrap } from '../../toolkit/unwrap.ts'
import { groupWithId } from '../groups/operations.ts'
import type { SimulatedGroup } from '../login/directory.ts'
import { DAY_MS, type HeldKey, type HeldVersion, type KeyType } from '../state/held.ts'
import { bytesAt, integerAt, isObject, requireOnly, textAt } from '../wire/body.ts'
import type { Call, Reply } from '../wire/call.ts'
import { conflict, invalid } from '../wire/errors.ts'
import { describeKey, isRestoring, newestOf } from './describe.ts'
import { kindIn, newKeyIn, type NewKey } from './fields.ts'
import { keyWithId, versionOf, type FoundKey } from './found.ts'
import { readMaterial } from './kinds.ts'
import { addVersion, madeKey } from './made.ts'

/** How material is wrapped, by the name of the algorithm and the type of the key. */
const ALGORITHMS: Readonly<Record<string, { readonly twoLayers: boolean; readonly types: readonly KeyType[] }>> = {
  OAEP_MGF1_SHA256: { twoLayers: false, types: ['AES'] },
  RSA_AES_WRAP_SHA256: { twoLayers: true, types: ['RSA', 'EC'] },
}

const TARGET_MEMBERS = ['name', 'description', 'groupId', 'type', 'exportable', 'enabled', 'operations', 'role']
const LEAST_WRAPPING_BITS = 2048

/** POST crypto/unwrap: imports a new key, or a version of one. @throws ApiError */
export async function unwrapKey(call: Call): Promise<Reply> {
  const { body } = call
  if (body.keyId === undefined) return unwrapElsewhere(call)
  const wrapping = keyWithId(call, textAt(body, 'keyId'))
  requireWrapping(call, wrapping)
  const version = versionOf(wrapping.key, integerAt(body, 'version') ?? -1)
  requireOnly(body, ['algorithm', 'keyId', 'version', 'wrappedKey', 'target', 'targetKeyId'])
  const target = body.targetKeyId === undefined ? newTarget(call, wrapping.group) : knownTarget(call, wrapping.group)
  const algorithm = textAt(body, 'algorithm')
  const material = await opened(call, wrapping.key, version, { algorithm, type: target.type })
  return imported(call, wrapping.group, target.made(material), material.bytes)
}

type Material = NonNullable<ReturnType<typeof readMaterial>>

/** The key that receives the material. */
interface Target {
  readonly type: KeyType
  /** @throws ApiError 400 for material that does not fit */
  readonly made: (material: Material) => HeldKey
}

function newTarget(call: Call, group: SimulatedGroup): Target {
  const given: unknown = call.body.target
  if (!isObject(given)) throw invalid('target or targetKeyId must be given.')
  requireOnly(given, TARGET_MEMBERS)
  if (groupWithId(call, textAt(given, 'groupId')).id !== group.id)
    throw invalid('The wrapping key belongs to another group.')
  const fields = newKeyIn(given, group)
  const { sizes } = kindIn(group, fields.type)
  return {
    type: fields.type,
    made: ({ size, curve }) => {
      if (!sizes.includes(size)) throw invalid('The size of the material is not possible for this key.')
      return madeKey(call, group, fields, { size, imported: true, ...(curve !== undefined && { curve }) })
    },
  }
}

/** A new version has the type and size of the former ones. */
function knownTarget(call: Call, group: SimulatedGroup): Target {
  const { key } = keyWithId(call, textAt(call.body, 'targetKeyId'))
  if (key.groupId !== group.id) throw invalid('The wrapping key belongs to another group.')
  if (isRestoring(key, call.state.now())) throw conflict('The key is being restored.')
  return { type: key.type, made: (material) => sameKind(key, material) }
}

function sameKind(key: HeldKey, { size, curve }: Material): HeldKey {
  if (size === key.size && curve === key.curve) return key
  throw invalid('The material has another size than the key.')
}

/** @throws ApiError 400, 409 */
function requireWrapping({ state }: Call, { key, group }: FoundKey): void {
  if (group.provider === 'AWS') throw invalid('Material for this group is wrapped with a key of its target.')
  if (key.type !== 'RSA' || key.size < LEAST_WRAPPING_BITS || !key.operations.includes('UNWRAP'))
    throw invalid('The key cannot unwrap.')
  if (!key.enabled || isRestoring(key, state.now())) throw conflict('The wrapping key is not enabled.')
}

interface Wrapped {
  readonly algorithm: string
  readonly type: KeyType
}

/** The material of a request. @throws ApiError 400, the same for every failure of the decryption */
async function opened(call: Call, key: HeldKey, version: HeldVersion, wrapped: Wrapped): Promise<Material> {
  const { algorithm, type } = wrapped
  const row = ALGORITHMS[algorithm]
  if (row?.types.includes(type) !== true) throw invalid(`The algorithm ${algorithm} is not possible for ${type} keys.`)
  const bytes = bytesAt(call.body, 'wrappedKey')
  const wrappingKey = privateKeyOf(await call.state.bytesOf(key, version))
  let material: ReturnType<typeof readMaterial>
  try {
    material = readMaterial(type, unwrap(wrappingKey, { oaepHash: 'sha256', twoLayers: row.twoLayers }, bytes))
  } catch {
    material = undefined
  }
  if (material === undefined) throw invalid('The wrapped key cannot be read.')
  return material
}

function imported(call: Call, group: SimulatedGroup, key: HeldKey, bytes: Buffer): Reply {
  addVersion(key, call.state.now(), bytes)
  call.state.saveKeys([key])
  return { body: describeKey(key, call.state.now(), group.provider) }
}

/** POST keys with `targetKeyId`: the key that wraps material for a key at another provider. @throws ApiError */
export function createImportKey(call: Call): Reply {
  const { body, state } = call
  requireOnly(body, ['targetKeyId', 'size', 'wrappingAlgorithm'])
  const { key: target, group } = keyWithId(call, textAt(body, 'targetKeyId'))
  const algorithm = textAt(body, 'wrappingAlgorithm')
  const size = integerAt(body, 'size')
  if (group.provider !== 'AWS' || !target.imported) throw invalid('The target does not receive material this way.')
  if (ALGORITHMS[algorithm]?.types.includes(target.type) !== true) throw invalid('wrappingAlgorithm does not fit.')
  if (size !== 3072 && size !== 4096) throw invalid('size must be 3072 or 4096.')
  const fields: NewKey = {
    ...{ name: `${target.name} import`, description: '', type: 'RSA', operations: ['UNWRAP', 'WRAP'] },
    ...{ role: 'UNSPECIFIED', enabled: true, exportable: false },
  }
  const importKey = { targetKeyId: target.id, algorithm }
  const key = madeKey(call, group, fields, { size, imported: false, importKey })
  addVersion(key, state.now())
  state.saveKeys([key])
  return { status: 201, body: describeKey(key, state.now(), group.provider) }
}

/**
 * Imports material of a key at another provider, wrapped with the newest version of its import key. Ours: the first
 * import enables the key.
 */
async function unwrapElsewhere(call: Call): Promise<Reply> {
  const { body, state } = call
  requireOnly(body, ['wrappedKey', 'targetKeyId'])
  const { key: target, group } = keyWithId(call, textAt(body, 'targetKeyId'))
  const wrapping = state.keys(target.tenantId).findLast(({ importKey }) => importKey?.targetKeyId === target.id)
  const version = wrapping && newestOf(wrapping)
  if (wrapping?.importKey === undefined || version === undefined) throw conflict('The target has no import key.')
  if (state.now() - version.createdAt > DAY_MS) throw conflict('The public key is older than 24 hours.')
  const { algorithm } = wrapping.importKey
  const material = await opened(call, wrapping, version, { algorithm, type: target.type })
  const key = sameKind(target, material)
  if (key.versions.length === 0) key.enabled = true
  return imported(call, group, key, material.bytes)
}
