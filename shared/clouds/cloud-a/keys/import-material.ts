import { assertMaterialFits, expiryOf } from '../adapter/specs.ts'
import type { CloudAImport } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { assertNotGiven, Refusal, ruleBroken } from '../../../base/errors.ts'
import type { ImportMaterial } from './material-model.ts'
import type { CloudAKey, CloudAName } from './model.ts'
import type { StoredCloudAKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { reached } from '../../../base/time.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { assertTakesMaterial, bringMaterial, changingMaterial, type Bringing } from './bring-material.ts'
import { assertManaged } from './key-rules.ts'
import { keyKind } from './kind.ts'

interface Importing extends Bringing {
  readonly key_id: string
}

/** Imports a local key's material into a key that waits for it, or in addition to the material it has. */
export const importing = changingMaterial<Importing>('import-cloud-a-material', {
  work: bringMaterial,
})

const SYMMETRIC_ONLY = ['import_type', 'key_material_description', 'key_material_id'] as const

/**
 * Ours: material is imported into a key that has none, possibly because it expired after the last reading; with
 * `import_type`, a symmetric key can get additional material. @throws Refusal STATE_CONFLICT
 */
function assertWaits({ cloud_a_param: { KeyState, ValidTo } }: StoredCloudAKey, body: ImportMaterial, now: Date): void {
  if (KeyState === 'PendingImport') return
  if (KeyState !== 'Enabled' && KeyState !== 'Disabled')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} takes no material.`)
  if (body.import_type === undefined && !reached(ValidTo, now))
    throw new Refusal(
      'STATE_CONFLICT',
      'The key has its material. A symmetric key accepts additional material for a rotation with import_type NEW_KEY_MATERIAL.',
    )
}

/**
 * The local key that a body refers to. Ours: without a reference, a key gets the material again that we imported
 * before; only a key that never had any, or is to get new material, gets a new local key. @returns `undefined` for a
 * new local key
 */
function referenceTo(key: StoredCloudAKey, body: ImportMaterial): string | undefined {
  const { source_key_identifier: named, import_type, key_material_id: id } = body
  if (named !== undefined || import_type === 'NEW_KEY_MATERIAL') return named
  const former = id === undefined ? key.local_key_id : key.materials?.[id]?.local_key_id
  const hadMaterial = id !== undefined || key.cloud_a_param.CurrentKeyMaterialId !== undefined
  if (former !== undefined || !hadMaterial) return former
  throw ruleBroken('source_key_identifier', 'must name the local key whose material the key had: it takes no other')
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT, RULE_BROKEN */
export async function sourceNamed(
  context: Context,
  { cloud_a_param: { CustomerMasterKeySpec: spec } }: StoredCloudAKey,
  reference: string | undefined,
  cloud: CloudAName,
): Promise<Pick<Bringing, 'local_key_id'>> {
  if (reference === undefined) return {}
  const pointer = '#/source_key_identifier'
  const local = await findKeyForCloud(context, reference, pointer)
  assertMaterialFits(spec, shapeOf(local), cloud, pointer)
  return { local_key_id: local.id }
}

const howOf = (key: StoredCloudAKey, body: ImportMaterial): CloudAImport => ({
  spec: key.cloud_a_param.CustomerMasterKeySpec,
  validTo: body.valid_to,
  importType: body.import_type,
  description: body.key_material_description,
  materialId: body.key_material_id,
})

/**
 * Imports a local key's material. The cloud decides whether the material equals the key's former one.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export const importMaterial = (context: Context, keyId: string, body: ImportMaterial): Promise<Stored<CloudAKey>> =>
  carryOut(context, importing, async () => {
    const { stored, container: kms } = await findKeyFor(keyKind, context, keyId, 'keymaterialimport')
    const { item: key } = stored
    assertManaged(key)
    assertTakesMaterial(key)
    const { CustomerMasterKeySpec: spec } = key.cloud_a_param
    if (spec !== 'SYMMETRIC_DEFAULT')
      assertNotGiven(body, SYMMETRIC_ONLY, {
        message: `A key of the kind ${spec} has the same material for good.`,
        detail: 'is for symmetric keys',
      })
    assertWaits(key, body, context.now)
    if (body.valid_to !== undefined) expiryOf(body.valid_to, context.now, '#/valid_to')
    const source = await sourceNamed(context, key, referenceTo(key, body), kms.item.cloud_name)
    return { subject: keyId, container: key.kms_id, input: { key_id: keyId, ...source, how: howOf(key, body) } }
  })
