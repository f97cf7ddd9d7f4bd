import { createPublicKey } from 'node:crypto'
import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { sealFor } from '../../keyring/domain-key.ts'
import { forgetTokenKeys, newSigningKey, retiresAt, SIGNING_KEY_PURPOSE, tokenKeys } from '../../keyring/token-key.ts'
import type { PublicJwk } from './signing-key-model.ts'
import { signingKeys, type StoredSigningKey } from '../../keyring/signing-key-store.ts'
import { reached } from '../../base/time.ts'

/** A stored P-256 key (SPKI, base64) as a JWK that verifies ES256. @see RFC 7517 §4 */
export const jwkOf = ({ id, publicKey }: Pick<StoredSigningKey, 'id' | 'publicKey'>): PublicJwk => {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return { kty: 'EC', crv: 'P-256', x, y, kid: id, alg: 'ES256', use: 'sig' }
}

/** Public keys for all tokens that may still be valid. @see RFC 7517 §5 */
export async function jwkSet({ now }: Context): Promise<{ keys: PublicJwk[] }> {
  const keys = await tokenKeys()
  return { keys: keys.filter(({ item }) => !reached(item.retiredAt, now)).map(({ item }) => jwkOf(item)) }
}

/** The present signing key. */
export async function presentAuthKey(): Promise<PublicJwk & { createdAt: string }> {
  const present = (await tokenKeys(0)).find(({ item }) => item.state === 'present')
  if (present === undefined) throw new Error('There is no key to sign tokens with')
  return { ...jwkOf(present.item), createdAt: present.item.createdAt }
}

/**
 * Ours: a verification reads all valid keys, so their number is limited. A newer key beyond the limit could not be
 * verified, and no administrator could log in to repair it.
 */
const VALID_AT_ONCE = 10

/**
 * Rotates the signing key; tokens of the former key stay valid until they expire.
 * @throws Refusal ACTION_DENIED in a child domain, since the keys belong to the whole deployment; STATE_CONFLICT while
 * too many former keys have valid tokens
 */
export async function rotateAuthKey(context: Context): Promise<PublicJwk & { createdAt: string }> {
  const { caller, changes, now } = context
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'The signing key belongs to the root domain: log in there to rotate it.')
  const keys = await tokenKeys(0)
  if (keys.filter(({ item }) => !reached(item.retiredAt, now)).length >= VALID_AT_ONCE)
    throw new Refusal('STATE_CONFLICT', 'The signing key was rotated too often just now: wait for five minutes.')
  const { key, pkcs8 } = await newSigningKey(now)
  const stored: StoredSigningKey = { ...key, sealed: await sealFor(ROOT_DOMAIN_ID, SIGNING_KEY_PURPOSE(key.id), pkcs8) }
  pkcs8.fill(0)
  for (const former of keys) {
    if (former.item.state === 'present')
      changes.update(signingKeys, ROOT_DOMAIN_ID, former, {
        ...former.item,
        state: 'previous',
        retiredAt: retiresAt(now),
      })
    else if (reached(former.item.retiredAt, now)) changes.remove(signingKeys, ROOT_DOMAIN_ID, former)
  }
  changes.create(signingKeys, ROOT_DOMAIN_ID, stored)
  context.about({ uri: resourceUri(ROOT_DOMAIN_ID, 'auth', 'signing-keys', key.id), name: key.id })
  forgetTokenKeys()
  return { ...jwkOf(stored), createdAt: stored.createdAt }
}
