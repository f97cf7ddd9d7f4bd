import type { KeyObject } from 'node:crypto'
import { USAGE } from '../../crypto/usage.ts'
import { unwrap, WRAPPINGS } from '../../crypto/wrap.ts'
import { findKey, versionsOf } from '../keys/lists/find-key.ts'
import { mayRead } from '../keys/lifecycle/key-users.ts'
import type { StoredLocalKey } from '../keys/store.ts'
import { opens, type Inspector, type Maker, type Openers, type Parts } from './inspector.ts'

/** Wrapping methods that authenticate the key: all except PKCS #1 padding. */
const ROWS = Object.values(WRAPPINGS).filter(({ name }) => name !== 'pkcs1')
const LEAST_BYTES = 16
const SEMIBLOCK_BYTES = 8

const kekOf = ({ type }: KeyObject): 'aes' | 'rsa' => (type === 'secret' ? 'aes' : 'rsa')

const wrapped = (material: KeyObject, { bytes }: Parts): boolean =>
  material.type !== 'public' &&
  (material.type === 'secret' || material.asymmetricKeyType === 'rsa') &&
  ROWS.filter(({ kek }) => kek === kekOf(material)).some((row) =>
    opens(() => {
      unwrap(row, material, bytes).destroy()
      return []
    }),
  )

/** The owner, and the groups that may decrypt with the key. Key administrators always may. */
const openersOf = ({ meta }: StoredLocalKey): Openers[] => {
  const groups = [...(meta?.permissions?.DecryptWithKey ?? []), ...(meta?.permissions?.UseKey ?? [])]
  return [
    { kind: 'group', names: ['Key Admins'] },
    { kind: 'owner', names: meta?.ownerId === undefined ? [] : [meta.ownerId] },
    { kind: 'group in the permissions of the key', names: [...new Set(groups)] },
  ]
}

const isWrapping = ({ objectType, algorithm }: StoredLocalKey): boolean =>
  (objectType === 'Symmetric Key' && algorithm === 'aes') || (objectType === 'Private Key' && algorithm === 'rsa')

const makerOf =
  (parts: Parts) =>
  (key: StoredLocalKey): Maker => ({
    endpoint: { kind: 'local key', id: key.id, name: key.name, uri: key.uri },
    local: { id: key.id },
    usage: USAGE.unwrap | USAGE.decrypt,
    isInHeader: false,
    proves: (material) => wrapped(material, parts),
    obstacles: () => [],
    openers: () => openersOf(key),
  })

/** A key that was exported under another local key. Ours: nothing in it names that key, so the caller does. */
export const exportedKeys: Inspector = {
  kind: 'exported key',
  hasForm: ({ bytes, iv, tag, metadata }, key) =>
    key !== undefined &&
    iv === undefined &&
    tag === undefined &&
    metadata === undefined &&
    bytes.length >= LEAST_BYTES &&
    bytes.length % SEMIBLOCK_BYTES === 0,
  makers: async function* ({ context, parts, key }) {
    if (key === undefined) return
    const { item } = await findKey(context, key)
    const versions = await versionsOf(context.caller.domain.id, item.name)
    const seen = versions
      .map((stored) => stored.item)
      .filter((each) => isWrapping(each) && mayRead(context, 'ReadKey', each))
    yield seen.map(makerOf(parts))
  },
}
