import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Journal } from '../../../base/journal.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { modulusBytesOf } from '../../../crypto/public-half.ts'
import { wrap, WRAPPINGS } from '../../../crypto/wrap.ts'
import type { DatacustType } from '../param.ts'
import { ask } from './client.ts'
import { failures } from './errors.ts'
import { keysListed, versionsPath } from './reading.ts'
import type { DatacustEntry, DatacustPlace } from './types.ts'
import { Made, NewVersion, PublicKey } from './wire.ts'

/** The cloud's name of a way of wrapping. For RSA and EC: a fresh AES key under OAEP, then RFC 5649. */
export const algorithmFor = (type: DatacustType): string =>
  type === 'AES' ? 'OAEP_MGF1_SHA256' : 'RSA_AES_WRAP_SHA256'

/** The key under which material is wrapped, and its version. */
export interface Kek {
  readonly id: string
  readonly version: number
}

/** Ours: one for each group, found by its name. */
const KEK_NAME = 'keymgr-import-key'
const KEK_BITS = 3072
const KEK_BITS_LEAST = 2048
/** Ours, for targets of AWS; the cloud offers 3072 as well. */
const OWN_KEK_BITS = 4096

async function groupsKek(place: DatacustPlace): Promise<Kek | undefined> {
  const { keys } = await keysListed(place)
  const found = keys.find(
    ({ param }) =>
      param.name === KEK_NAME && param.type === 'RSA' && param.enabled && param.operations.includes('UNWRAP'),
  )
  return found && { id: found.ref, version: found.param.meta?.primaryVersion ?? 0 }
}

/** The key-encryption key of a group, created once. */
export async function kekOf(place: DatacustPlace, journal: Journal): Promise<Kek> {
  const known = await groupsKek(place)
  if (known !== undefined) return known
  const body = {
    name: KEK_NAME,
    description: 'Wraps key material that keymgr imports into this group.',
    groupId: place.group.group_id,
    enabled: true,
    imported: false,
    operations: ['WRAP', 'UNWRAP'],
    type: 'RSA',
    size: KEK_BITS,
  }
  const id = await journal.step(
    'kek',
    async () => (await ask(place, { method: 'POST', path: '/keys', body, reply: Made })).id,
    async () => (await groupsKek(place))?.id,
  )
  return { id, version: 0 }
}

/** The key-encryption key of one target, whose public key is valid for a day. */
export async function ownKekOf(place: DatacustPlace, targetKeyId: string, type: DatacustType): Promise<Kek> {
  const body = { targetKeyId, size: OWN_KEK_BITS, wrappingAlgorithm: algorithmFor(type) }
  return { id: (await ask(place, { method: 'POST', path: '/keys', body, reply: Made })).id, version: 0 }
}

/** A new version of such a key. */
export async function renewedKek(entry: DatacustEntry, id: string): Promise<Kek> {
  const { version } = await ask(entry, { method: 'POST', path: versionsPath(id), body: {}, reply: NewVersion })
  return { id, version }
}

function publicKeyIn(text: string, budget: AbortSignal): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'rsa' && modulusBytesOf(key) * 8 >= KEK_BITS_LEAST) return key
    throw new Error('another kind of key')
  } catch (cause) {
    throw failures.refusalFrom(new Unreadable('a wrapping key that is none', { cause }), budget)
  }
}

/** Material in base64, wrapped under a key-encryption key of the cloud. */
export async function wrapped(
  entry: DatacustEntry,
  { id, version }: Kek,
  type: DatacustType,
  { bytes }: KeyMaterial,
): Promise<string> {
  const path = `${versionsPath(id)}/${version}/publicKey`
  const query = { outputFormat: 'BASE64_DER' }
  const { publicKey } = await ask(entry, { method: 'GET', path, query, reply: PublicKey })
  const kek = publicKeyIn(publicKey, entry.budget)
  return wrap(WRAPPINGS[type === 'AES' ? 'oaep256' : 'RSA/RSAAESKEYWRAPPADDING'], kek, bytes).toString('base64')
}
