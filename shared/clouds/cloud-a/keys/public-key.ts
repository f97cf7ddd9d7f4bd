import { placeIn } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { cloudA } from '../adapter.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { assertThere } from './key-rules.ts'
import { keyKind } from './kind.ts'

/**
 * The public key of a pair, read from the cloud now.
 * @returns SubjectPublicKeyInfo as PEM
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a key that is not a pair or is gone, and refusals of the cloud
 */
export async function publicKeyOf(context: Context, id: string): Promise<string> {
  const { stored, container: kms } = await findKey(keyKind, context, id)
  const { key_type, region, cloud_a_param } = stored.item
  assertThere(stored.item)
  if (key_type !== 'asymmetric')
    throw new Refusal('STATE_CONFLICT', `A key of the kind ${cloud_a_param.CustomerMasterKeySpec} has no public key.`)
  const place = await placeIn(keyKind, context, kms.item, region)
  return cloudA.publicKey(place, cloud_a_param.KeyID)
}
