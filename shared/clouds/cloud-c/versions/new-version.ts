import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { addingVersion, addVersionTo, type AddingVersion } from '../../../cloud/keys/versions/add-version.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { algorithmFor, assertMaterialFits, localFor } from '../adapter/specs.ts'
import { cloudC } from '../adapter.ts'
import { keyKind, type CloudCTypes } from '../keys/kind.ts'
import type { NewCloudCVersion } from '../keys/model.ts'
import type { StoredCloudCKey } from '../keys/store.ts'
import type { CloudCAlgorithm } from '../param.ts'
import type { CloudCVersion } from './model.ts'

interface Adding extends AddingVersion {
  /** of the new version; that of the key's template without */
  readonly algorithm?: CloudCAlgorithm | undefined
}

const ENCRYPTING = 'ENCRYPT_DECRYPT'

/** Makes a version, which becomes the primary of a key that encrypts. */
export const addingCloudCVersion = addingVersion<CloudCTypes, Adding>(keyKind, 'add-cloud-c-version', {
  specOf: ({ algorithm }) => ({ algorithm }),
  use: async (place, key, ref) => {
    if (key.cloud_c_params.purpose === ENCRYPTING) await cloudC.setPrimary(place, keyKind.refOf(key), ref)
  },
})

const mayFor = (isNative: boolean): string => (isNative ? 'keyupdate' : 'keyupload')

/**
 * Checks that a key can have another version.
 * @throws Refusal STATE_CONFLICT for a key that is gone, or takes only imported versions; RULE_BROKEN for an algorithm that
 *   is not of its purpose
 */
export function assertVersionable(
  key: StoredCloudCKey,
  wanted: { readonly isNative: boolean; readonly algorithm?: string | undefined; readonly pointer: string },
): void {
  keyKind.assertManaged(key)
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
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export const addVersion = (
  context: Context,
  key_id: string,
  { source_key_id: named, algorithm }: NewCloudCVersion,
): Promise<Stored<CloudCVersion>> => {
  const isNative = named === undefined
  return addVersionTo(keyKind, addingCloudCVersion, context, key_id, mayFor(isNative), async (key) => {
    assertVersionable(key, { isNative, algorithm, pointer: '#/algorithm' })
    const input = { key_id, ...defined({ algorithm }) }
    if (isNative) return input
    const local = await findKeyForCloud(context, named, '#/source_key_id')
    assertMaterialFits(key.cloud_c_params.version_template.algorithm, shapeOf(local), '#/source_key_id')
    return { ...input, local_key_id: local.id }
  })
}

/**
 * Adds a version as a schedule has it: the cloud's own, or from a local key that is made for it.
 * @throws Refusal as `addVersion`
 */
export const rotate = (
  context: Context,
  key_id: string,
  { isNative, algorithm }: { readonly isNative: boolean; readonly algorithm?: CloudCAlgorithm | undefined },
): Promise<Stored<CloudCVersion>> =>
  addVersionTo(keyKind, addingCloudCVersion, context, key_id, mayFor(isNative), (key) => {
    assertVersionable(key, { isNative, algorithm, pointer: '#/auto_rotate_algorithm' })
    const ofTemplate = key.cloud_c_params.version_template.algorithm
    return {
      key_id,
      ...(!isNative && { new_local_key: localFor(algorithm ?? ofTemplate) }),
      ...defined({ algorithm }),
    }
  })
