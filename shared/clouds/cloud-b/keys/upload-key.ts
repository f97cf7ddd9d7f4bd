import { Refusal, ruleBroken } from '../../../base/errors.ts'
import type { Creation } from '../../../cloud/keys/creation.ts'
import { materialOfPkcs12 } from '../../../crypto/material/import-material.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { WrongPassword } from '../../../crypto/material/pkcs12.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertMaterialFits } from '../adapter/specs.ts'
import { carrier, creatingFrom, planned, vaultOfBody, workOn } from '../items/creation.ts'
import { keysAdapter } from '../adapter.ts'
import type { StoredCloudBVault } from '../vaults/store.ts'
import { creatingCloudBKey } from './create-key.ts'
import { assertVaultHolds, keyKind, type KeyTypes } from './kind.ts'
import type { CloudBKey, UploadCloudBKey } from './model.ts'

const pfxMaterial = carrier<KeyMaterial>('material of a PFX')
/** Creates a key, or a version of one, with the material of a PFX, which is not stored. */
export const uploadingPfx = creatingFrom<KeyTypes, KeyMaterial>(
  'upload-cloud-b-pfx',
  keyKind,
  pfxMaterial,
  async (place, spec, material, journal) => keysAdapter.upload(place, spec, material, journal),
)

/**
 * The saga of an upload, without the material. @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT
 */
async function plannedUpload(
  context: Context,
  body: UploadCloudBKey,
): Promise<{ readonly vault: StoredCloudBVault; readonly input: Creation<KeyTypes> }> {
  const { key_name: name, kek_kid, exportable, release_policy } = body
  const vault = await vaultOfBody(context, body.key_vault, 'keyupload')
  const isInHardware = body.hsm ?? (vault.managed_hsm || kek_kid !== undefined || exportable === true)
  assertVaultHolds(vault, isInHardware, exportable === true ? 'exportable' : kek_kid === undefined ? 'hsm' : 'kek_kid')
  const spec = { name, ...body.cloud_b_param, hsm: isInHardware, kek_kid, exportable, release_policy }
  return { vault, input: planned<KeyTypes>(context, vault, spec, kek_kid === undefined ? {} : { kek_kid }) }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and refusals of the cloud */
export const uploadKey = (context: Context, body: UploadCloudBKey): Promise<Stored<CloudBKey>> =>
  body.source_key_tier === 'pfx' ? uploadPfx(context, body) : uploadLocalKey(context, body)

const uploadLocalKey = (context: Context, body: UploadCloudBKey): Promise<Stored<CloudBKey>> =>
  carryOut(context, creatingCloudBKey, async () => {
    const { vault, input } = await plannedUpload(context, body)
    const local = await findKeyForCloud(context, body.local_key_identifier ?? '', '#/local_key_identifier')
    assertMaterialFits(shapeOf(local), vault.managed_hsm, 'local_key_identifier')
    return workOn(keyKind, { ...input, local_key_id: local.id })
  })

/** Opens a PFX. @throws Refusal RULE_BROKEN pointing to it, or to its password */
async function opened({ pfx = '', password = '' }: UploadCloudBKey): Promise<KeyMaterial> {
  const material = await materialOfPkcs12(Buffer.from(pfx, 'base64'), password).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    const { reason, message: detail, cause } = error
    const pointer = error instanceof WrongPassword ? '#/password' : '#/pfx'
    throw new Refusal(reason, detail, { cause, errors: [{ pointer, detail }] })
  })
  if (material === undefined) throw ruleBroken('pfx', 'must hold an RSA or EC key')
  return material
}

async function uploadPfx(context: Context, body: UploadCloudBKey): Promise<Stored<CloudBKey>> {
  const material = await pfxMaterial.carry(context, () => opened(body))
  try {
    return await carryOut(context, uploadingPfx, async () => {
      const { vault, input } = await plannedUpload(context, body)
      assertMaterialFits(material, vault.managed_hsm, 'pfx')
      return workOn(keyKind, input)
    })
  } finally {
    material.bytes.destroy()
  }
}
