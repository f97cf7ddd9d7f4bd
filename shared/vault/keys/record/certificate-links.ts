import type { Context } from '../../../http/context.ts'
import { publicKeyPrints, type KeyMaterial } from '../../../crypto/key-material.ts'
import type { LocalKey } from '../model.ts'
import { localKeys, ofPublicKey } from '../store.ts'
import { mayRead } from '../policies/access.ts'

/**
 * Links of a certificate to the keys it is for: the latest versions, among those the caller may see, with its public key.
 * Ours: they are found when it is imported, and stay when a key goes.
 */
export async function certificateLinks(
  { caller }: Pick<Context, 'caller'>,
  material: KeyMaterial,
): Promise<LocalKey['links']> {
  const domain = caller.domain.id
  const ids = await localKeys.members(domain, ofPublicKey(publicKeyPrints(material).sha256))
  const keys = await localKeys.getMany(domain, ids.slice(0, LINKS_MOST))
  return keys
    .filter(({ item }) => mayRead(caller, item))
    .map(({ item }) => ({ type: item.objectType === 'Private Key' ? 'privateKey' : 'publicKey', target: item.id }))
}

/** Ours: copies of one key beyond this number are left out. */
const LINKS_MOST = 20
