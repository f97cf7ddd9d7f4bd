import { placeIn } from '../../../cloud/keys/place.ts'
import { Refusal } from '../../../base/errors.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { findVersion } from '../../../cloud/keys/versions/find-version.ts'
import type { Context } from '../../../http/context.ts'
import { keyKind } from '../keys/kind.ts'
import { cloudC } from '../adapter.ts'
import { cloudCVersions } from './store.ts'

/**
 * The public key of a version, read from the cloud now and stored in the record.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a key that is not a pair, and refusals of the cloud
 */
export async function publicKeyOf(
  context: Context,
  keyId: string,
  reference: string,
): Promise<{ pem: string; algorithm: string }> {
  const { stored, container } = await findKey(keyKind, context, keyId)
  const version = await findVersion(keyKind, context, keyId, reference)
  const { key_name, purpose } = stored.item.cloud_c_params
  if (!purpose.startsWith('ASYMMETRIC_'))
    throw new Refusal('STATE_CONFLICT', `A key of purpose ${purpose} has no public key.`)
  const { item } = version
  const number = item.cloud_c_params.version
  const key = await context.once(`public key ${keyId} ${number}`, async () =>
    cloudC.publicKey(await placeIn(keyKind, context, container.item, ''), key_name, number),
  )
  if (item.public_key?.pem !== key.pem)
    context.changes.update(cloudCVersions, context.caller.domain.id, version, { ...item, public_key: key })
  context.about({ uri: item.uri, name: item.cloud_c_params.name })
  return key
}
