import type { Context } from '../../../http/context.ts'
import { publicKeyPrints, type KeyMaterial } from '../../../crypto/key-material.ts'
import type { LocalKey } from '../model.ts'
import { localKeys, ofPublicKey } from '../store.ts'
import { mayRead } from '../policies/access.ts'

/**
 * Links of a certificate to the keys that it certifies: the latest versions with its public key, among those the caller
 * may see. Ours: they are determined at the import, and stay when a key is deleted.
 */
export async function certificateLinks(
  { caller }: Pick<Context, 'caller'>,
  material: KeyMaterial,
): Promise<LocalKey['links']> {
  const domain = caller.domain.id
  const ids = await localKeys.members(domain, ofPublicKey(publicKeyPrints(material).sha256))
  const keys = await localKeys.getMany(domain, ids.slice(0, LINKS_MOST), 'leave out')
  return keys
    .filter(({ item }) => mayRead(caller, item))
    .map(({ item }) => ({ type: item.objectType === 'Private Key' ? 'privateKey' : 'publicKey', target: item.id }))
}

/** Ours: further copies of the same key are omitted. */
const LINKS_MOST = 20
