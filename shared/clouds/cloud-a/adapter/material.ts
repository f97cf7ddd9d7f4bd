import { createPublicKey } from 'node:crypto'
import {
  DeleteImportedKeyMaterialCommand,
  GetParametersForImportCommand,
  ImportKeyMaterialCommand,
} from '@aws-sdk/client-kms'
import { defined } from '../../../base/fields.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { wrap } from '../../../crypto/wrap.ts'
import { Refusal } from '../../../base/errors.ts'
import { onKms } from './client.ts'
import { codeOf } from './errors.ts'
import { rotations } from './reading.ts'
import { assertMaterialFits, expiryOf, specNamed } from './specs.ts'
import type { CloudAImport, CloudAPlace } from './types.ts'

/** Refuses, before any call, material that the cloud would refuse. @throws Refusal RULE_BROKEN */
export function assertImportable(
  { connection, now }: CloudAPlace,
  { spec, validTo }: Pick<CloudAImport, 'spec' | 'validTo'>,
  material: KeyMaterial,
): void {
  assertMaterialFits(spec, material, connection.cloud_name)
  if (validTo !== undefined) expiryOf(validTo, now)
}

/** The cloud's wrapping key for material of this key, valid for a day. */
async function parametersFor(place: CloudAPlace, ref: string, { spec }: Pick<CloudAImport, 'spec'>) {
  const command = new GetParametersForImportCommand({
    KeyId: ref,
    WrappingAlgorithm: specNamed(spec).wrappingAlgorithm,
    WrappingKeySpec: 'RSA_4096',
  })
  const { PublicKey, ImportToken } = await onKms(place, (kms, options) => kms.send(command, options))
  if (PublicKey === undefined || ImportToken === undefined)
    throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the parameters of an import.')
  return { wrappingKey: createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }), ImportToken }
}

/**
 * Imports the material with these settings. Safe to repeat with the same bytes, except that NEW_KEY_MATERIAL is
 * accepted only once.
 * @returns the cloud's id of the material, for keys that can have several
 */
async function bringIn(
  place: CloudAPlace,
  ref: string,
  material: KeyMaterial,
  how: CloudAImport,
): Promise<string | undefined> {
  const { wrappingKey, ImportToken } = await parametersFor(place, ref, how)
  const { validTo, importType, description, materialId } = how
  const command = new ImportKeyMaterialCommand({
    KeyId: ref,
    ImportToken,
    EncryptedKeyMaterial: wrap(specNamed(how.spec).wrapping, wrappingKey, material.bytes),
    // always explicit: by the cloud's default, material expires
    ExpirationModel: validTo === undefined ? 'KEY_MATERIAL_DOES_NOT_EXPIRE' : 'KEY_MATERIAL_EXPIRES',
    ...(validTo !== undefined && { ValidTo: expiryOf(validTo, place.now) }),
    ...defined({ ImportType: importType, KeyMaterialDescription: description, KeyMaterialId: materialId }),
  })
  return (await onKms(place, (kms, options) => kms.send(command, options))).KeyMaterialId
}

export async function importMaterial(
  place: CloudAPlace,
  ref: string,
  material: KeyMaterial,
  how: CloudAImport,
): Promise<string | undefined> {
  assertImportable(place, how, material)
  try {
    return await bringIn(place, ref, material, how)
  } catch (error) {
    if (codeOf(error) !== 'IncorrectKeyMaterialException' || how.importType !== 'NEW_KEY_MATERIAL') throw error
    const pending = await broughtBefore(place, ref, material, how)
    if (pending === undefined) throw error
    return pending
  }
}

/**
 * Id of the material that is pending rotation, if an earlier try imported these very bytes: then the cloud accepts them
 * again.
 */
async function broughtBefore(
  place: CloudAPlace,
  ref: string,
  material: KeyMaterial,
  { importType: _, ...how }: CloudAImport,
): Promise<string | undefined> {
  const generations = await rotations(place, ref)
  const pending = generations.find(({ KeyMaterialState: state = '' }) => state.startsWith('PENDING_'))
  if (pending?.KeyMaterialId === undefined) return undefined
  const again = { ...how, importType: 'EXISTING_KEY_MATERIAL', materialId: pending.KeyMaterialId } as const
  try {
    return await bringIn(place, ref, material, again)
  } catch (error) {
    if (codeOf(error) === 'IncorrectKeyMaterialException') return undefined
    throw error
  }
}

export async function deleteMaterial(place: CloudAPlace, ref: string, materialId: string | undefined): Promise<void> {
  const command = new DeleteImportedKeyMaterialCommand({ KeyId: ref, KeyMaterialId: materialId })
  await onKms(place, (kms, options) => kms.send(command, options))
}
