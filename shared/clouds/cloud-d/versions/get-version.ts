import { Refusal } from '../../../base/errors.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { reachKey } from '../../../cloud/keys/place.ts'
import { findVersion } from '../../../cloud/keys/versions/find-version.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { cloudD } from '../adapter.ts'
import { isExternalKey } from '../external/external.ts'
import { keyKind } from '../keys/kind.ts'
import type { StoredCloudDKey } from '../keys/store.ts'
import type { CloudDVersion } from './model.ts'
import { cloudDVersions, type StoredCloudDVersion } from './store.ts'

/** Kinds of key with a public half. */
const PAIRS: ReadonlySet<string> = new Set(['RSA', 'ECDSA'])

const lacksPublicKey = (key: StoredCloudDKey, version: StoredCloudDVersion): boolean =>
  PAIRS.has(key.cloud_d_params.algorithm) &&
  version.public_key === undefined &&
  ![key.gone, version.gone, version.deleted, isExternalKey(key)].includes(true)

/** @returns PEM; `undefined` while the cloud does not answer, or does not permit it */
async function publicKeyOf(context: Context, key: StoredCloudDKey, ref: string): Promise<string | undefined> {
  try {
    return await context.once(`public key ${key.id} ${ref}`, async () =>
      cloudD.publicKey(await reachKey(keyKind, context, key), keyKind.refOf(key), ref),
    )
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * A recorded version. The cloud shows public keys with single versions only, so that the public key is read at the first
 * request for the version, and kept. @throws Refusal NOT_FOUND
 */
export async function getCloudDVersion(
  context: Context,
  keyId: string,
  reference: string,
): Promise<Stored<CloudDVersion>> {
  const { item: key } = (await findKey(keyKind, context, keyId)).stored
  const stored = await findVersion(keyKind, context, keyId, reference)
  const { present, refOf } = keyKind.versions
  const public_key = lacksPublicKey(key, stored.item)
    ? await publicKeyOf(context, key, refOf(stored.item))
    : stored.item.public_key
  if (public_key === stored.item.public_key) return { item: present(stored.item, key), rev: stored.rev }
  const after = { ...stored.item, public_key }
  context.changes.update(cloudDVersions, context.caller.domain.id, stored, after)
  return { item: present(after, key), rev: stored.rev + 1 }
}
