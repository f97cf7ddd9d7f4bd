import { algorithmFor, assertMaterialFits, localFor } from '../adapter/specs.ts'
import type { CloudCPlace } from '../adapter/types.ts'
import type { Journal } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { NewCloudCVersion } from '../keys/model.ts'
import type { CloudCAlgorithm } from '../param.ts'
import type { CloudCVersion } from './model.ts'
import type { StoredCloudCKey } from '../keys/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, recordExport, shapeOf, withMaterial } from '../../../vault/keys/leave.ts'
import { madeForCloud, makeForCloud } from '../../../vault/keys/make-for-cloud.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertThere, findKeyFor } from '../keys/find-key.ts'
import { reach } from '../keys/making.ts'
import { keyById, readAfter, recordRead, recordRefused } from '../keys/record-read.ts'
import type { WholeKey } from '../keys/records.ts'
import { sourceOf } from '../keys/source.ts'
import { cloudC } from '../place.ts'
import { answeredVersions, recordedVersion, type VersionSaga } from './version-saga.ts'

interface Versioning {
  readonly key_id: string
  /** of the new version; that of the key's template without */
  readonly algorithm?: CloudCAlgorithm | undefined
  /** where its material is from: the cloud makes it, a local key has it, or one is made for it */
  readonly material: 'native' | 'local key' | 'new local key'
  readonly local_key_id?: string | undefined
}

interface Versioned {
  readonly number: string
  readonly localKeyId: string | null
  readonly whole: WholeKey | null
}

/** The step in which the cloud's verbs note the number of the version they made. */
const VERSION = 'version'
const ENCRYPTING = 'ENCRYPT_DECRYPT'

/** The local key whose material the version gets; `null` for one that the cloud makes. */
async function sourceFor(
  context: Context,
  key: StoredCloudCKey,
  { material, local_key_id, algorithm }: Versioning,
  journal: Journal,
): Promise<string | null> {
  if (material === 'native') return null
  if (material === 'local key') return local_key_id ?? null
  const wanted = localFor(algorithm ?? key.cloud_c_params.version_template.algorithm)
  return makeForCloud(context, { name: `cloud-c-${journal.id}`, ...wanted }, journal)
}

async function made(
  context: Context,
  place: CloudCPlace,
  ref: string,
  localKeyId: string | null,
  { algorithm }: Versioning,
  journal: Journal,
): Promise<string> {
  const cloud = await cloudC()
  if (localKeyId === null) return (await cloud.createVersion(place, ref, { algorithm }, journal)).ref
  return withMaterial(
    context,
    localKeyId,
    async (material) => (await cloud.importVersion(place, ref, { algorithm }, material, journal)).ref,
  )
}

/** Where the material of the new version is from, by its number. */
const sourcesOf = async (context: Context, number: string, localKeyId: string | null) =>
  new Map(localKeyId === null ? [] : [[number, await sourceOf(context, localKeyId)] as const])

/** Makes a version, and of a key that encrypts, the one that does from now on. What it encrypted before, it still decrypts. */
export const addingCloudCVersion: VersionSaga<Versioning, Versioned> = {
  name: 'add-cloud-c-version',
  entity: answeredVersions,
  unrecorded: () => Promise.resolve([]), // versions are looked for by number
  run: async (context, input, journal) => {
    const { item: key } = await keyById(context, input.key_id)
    const { key_name: ref, purpose } = key.cloud_c_params
    const localKeyId = await sourceFor(context, key, input, journal)
    const place = await reach(context, key.key_ring_id)
    const number = await made(context, place, ref, localKeyId, input, journal)
    if (purpose === ENCRYPTING) await (await cloudC()).setPrimary(place, ref, number)
    return { number, localKeyId, whole: await readAfter(context, place, key) }
  },
  settle: async (context, { key_id }, { number, localKeyId, whole }) => {
    if (localKeyId !== null) await recordExport(context, localKeyId)
    const recorded = await recordRead(context, await keyById(context, key_id), whole, {
      sources: await sourcesOf(context, number, localKeyId),
      then: (key) => ({ ...key, rotated_at: context.now.toISOString() }),
    })
    return recordedVersion(recorded, number)
  },
  undo: async (context, { key_id, local_key_id }, journal) => {
    const number = journal.noted(VERSION)
    const localKeyId = local_key_id ?? madeForCloud(journal) ?? null
    const mayHaveLeft = localKeyId !== null && typeof number === 'string'
    if (mayHaveLeft) await recordExport(context, localKeyId)
    await recordRefused(context, key_id, mayHaveLeft ? { sources: await sourcesOf(context, number, localKeyId) } : {})
  },
}

/**
 * What can be told of a key that is to have another version.
 * @throws Refusal STATE_CONFLICT for a key that is gone, or takes only imported versions; RULE_BROKEN for an algorithm that
 *   is not of its purpose
 */
export function assertVersionable(
  key: StoredCloudCKey,
  wanted: { readonly isNative: boolean; readonly algorithm?: string | undefined; readonly pointer: string },
): void {
  assertThere(key)
  const { import_only, purpose } = key.cloud_c_params
  if (wanted.isNative && import_only)
    throw new Refusal('STATE_CONFLICT', 'The key takes only imported versions: bring in the material of a local key.')
  if (wanted.algorithm === undefined) return
  try {
    algorithmFor(purpose, wanted.algorithm)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.reason, error.message, {
      errors: [{ pointer: wanted.pointer, detail: `must be of the purpose ${purpose}` }],
    })
  }
}

/**
 * Adds a version. Ours: one that the cloud makes takes keyupdate, and one with our material keyupload.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and the cloud's own
 */
export const addVersion = (context: Context, keyId: string, body: NewCloudCVersion): Promise<Stored<CloudCVersion>> =>
  carryOut(context, addingCloudCVersion, async () => {
    const { source_key_id: named, algorithm } = body
    const { stored } = await findKeyFor(context, keyId, named === undefined ? 'keyupdate' : 'keyupload')
    const { item: key } = stored
    assertVersionable(key, { isNative: named === undefined, algorithm, pointer: '#/algorithm' })
    const local = named === undefined ? undefined : await findKeyForCloud(context, named, '#/source_key_id')
    if (local) assertMaterialFits(key.cloud_c_params.version_template.algorithm, shapeOf(local), '#/source_key_id')
    const input: Versioning = {
      key_id: keyId,
      ...(algorithm !== undefined && { algorithm }),
      ...(local ? { material: 'local key', local_key_id: local.id } : { material: 'native' }),
    }
    return { subject: keyId, container: key.key_ring_id, input }
  })

/**
 * Adds a version as a schedule has it: the cloud's own, or from a local key that is made for it.
 * @throws Refusal as `addVersion`
 */
export const rotate = (
  context: Context,
  keyId: string,
  { isNative, algorithm }: { readonly isNative: boolean; readonly algorithm?: CloudCAlgorithm | undefined },
): Promise<Stored<CloudCVersion>> =>
  carryOut(context, addingCloudCVersion, async () => {
    const { stored } = await findKeyFor(context, keyId, isNative ? 'keyupdate' : 'keyupload')
    assertVersionable(stored.item, { isNative, algorithm, pointer: '#/auto_rotate_algorithm' })
    const material = isNative ? ('native' as const) : ('new local key' as const)
    return {
      subject: keyId,
      container: stored.item.key_ring_id,
      input: { key_id: keyId, material, ...(algorithm !== undefined && { algorithm }) },
    }
  })
