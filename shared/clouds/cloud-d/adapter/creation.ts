import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { defined } from '../../../base/fields.ts'
import type { Journal } from '../../../base/journal.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { wrap, WRAPPINGS } from '../../../crypto/wrap.ts'
import { KEY_TAG } from '../param.ts'
import { askVault } from './client.ts'
import { failures } from './errors.ts'
import { getKey, markedKey, surely } from './reading.ts'
import { assertMaterialFits } from './specs.ts'
import type { CloudD, CloudDKeyRead, CloudDKeySpec, CloudDPlace } from './types.ts'
import { Key, keyRead, WrappingKey } from './wire.ts'

/** For material of any kind and length. The cloud's name of `WRAPPINGS['RSA/RSAAESKEYWRAPPADDING']`. */
const WRAPPING_ALGORITHM = 'RSA_OAEP_AES_SHA256'

function publicKeyOf(pem: string, budget: AbortSignal): KeyObject {
  try {
    return createPublicKey(pem)
  } catch (error) {
    throw failures.refusalFrom(new Unreadable('a wrapping key that is none', { cause: error }), budget)
  }
}

/** The member of a body with material, wrapped with the vault's wrapping key. */
export async function wrapped(place: CloudDPlace, { bytes }: KeyMaterial): Promise<object> {
  const { data } = await askVault(place, { method: 'GET', path: '/20180608/wrappingKeys', reply: WrappingKey })
  const key = publicKeyOf(data.publicKey, place.budget)
  const keyMaterial = wrap(WRAPPINGS['RSA/RSAAESKEYWRAPPADDING'], key, bytes).toString('base64')
  return { wrappedImportKey: { keyMaterial, wrappingAlgorithm: WRAPPING_ALGORITHM } }
}

const bodyOf = (spec: CloudDKeySpec, { id }: Journal): object => ({
  compartmentId: spec.compartment_id,
  displayName: spec.name,
  keyShape: { algorithm: spec.algorithm, length: spec.length, ...defined({ curveId: spec.curve_id }) },
  protectionMode: spec.protection_mode,
  freeformTags: { ...spec.freeform_tags, [KEY_TAG]: id },
  ...defined({ definedTags: spec.defined_tags }),
})

/**
 * Creates a key once: a second run finds the key of the first by its tag. The cloud may still be creating the key when
 * this returns, as the API documents.
 */
async function made(
  place: CloudDPlace,
  spec: CloudDKeySpec,
  journal: Journal,
  make: () => Promise<Key>,
): Promise<CloudDKeyRead> {
  const ref = await journal.step(
    MADE,
    async () => (await make()).id,
    () => markedKey(place, spec.compartment_id, journal.id),
  )
  return keyRead(await surely(getKey(place, ref)), place.vault.display_name)
}

const posted = async (place: CloudDPlace, path: string, body: object, retryToken?: string): Promise<Key> =>
  (await askVault(place, { method: 'POST', path, body, retryToken, reply: Key })).data

export const create: CloudD['create'] = (place, spec, journal) =>
  made(place, spec, journal, () => posted(place, '/20180608/keys', bodyOf(spec, journal), journal.id))

/** Sends no fixed retry token, because each wrapping results in another body. */
export const upload: CloudD['upload'] = async (place, spec, material, journal) => {
  assertMaterialFits(spec, material)
  return made(place, spec, journal, async () =>
    posted(place, '/20180608/keys/import', { ...bodyOf(spec, journal), ...(await wrapped(place, material)) }),
  )
}
