import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../../../../crypto/aead.ts'
import { USAGE } from '../../../../crypto/usage.ts'
import { encryptEnvelope, encryptVerified, type Envelope } from '../../../../crypto/protocols/xks-envelope.ts'
import { Refusal } from '../../../../base/errors.ts'
import type { Moment } from '../../../../base/moment.ts'
import type { StoredLocalKey } from '../../../../vault/keys/store.ts'
import { assertUsable, keyAsOf, type Use } from '../../../../vault/keys/lifecycle/key-state.ts'
import type { HostedKey } from './hosted-key.ts'
import type { ServedStore } from './key-store.ts'
import { metadataOf, versionInMetadata } from './metadata.ts'
import { freshIv } from '../../../../serving/key-use/key-uses.ts'
import { materialOf, versionOf, type KeyUse } from '../../../../serving/key-use/key-version.ts'
import { assertMay, onceASecond, usageDenied } from '../../../../serving/key-use/may-use.ts'
import { after, afterBoth, type MaybePromise } from '../../../../serving/maybe-promise.ts'

const isAes256 = ({ algorithm, size }: StoredLocalKey): boolean => algorithm === 'aes' && size === 256
const allows = (key: StoredLocalKey, use: 'encrypt' | 'decrypt'): boolean =>
  isAes256(key) && (key.usageMask & USAGE[use]) !== 0

function assertNotBlocked({ blocked }: HostedKey): void {
  if (blocked) throw new Refusal('STATE_CONFLICT', 'The key is blocked.')
}

const notEnded = new WeakMap<StoredLocalKey, number>()

/**
 * A key whose latest version is deactivated, compromised or destroyed counts as ended. @throws Refusal STATE_CONFLICT
 */
function assertNotEnded({ latest }: HostedKey, moment: Moment): void {
  onceASecond(notEnded, latest, moment, (now) => {
    const { state, archiveDate } = keyAsOf(latest, now)
    if ((state !== 'Active' && state !== 'Pre-Active') || archiveDate !== undefined)
      throw new Refusal('STATE_CONFLICT', 'The key is deactivated or archived.')
  })
}

export interface Plain {
  readonly plaintext: Buffer
  readonly aad: Buffer
  /** whether the caller requests the digest, which includes a proof that the answer decrypts */
  readonly verified: boolean
}

/**
 * Checks that the key's latest version may encrypt now.
 * @throws Refusal STATE_CONFLICT; USAGE_DENIED, also for a verified encryption with a key that may not decrypt
 */
export function assertMayEncrypt(key: HostedKey, verified: boolean, now: Moment): void {
  assertNotBlocked(key)
  assertMay(key.latest, 'protect', USAGE.encrypt, now)
  if (!isAes256(key.latest) || (verified && !allows(key.latest, 'decrypt'))) throw usageDenied()
}

export interface EncryptionKey {
  readonly material: KeyObject
  readonly bound: Pick<Envelope, 'iv' | 'metadata'>
}

/**
 * The latest version, after `assertMayEncrypt`, with an iv for one use.
 * @throws Refusal STATE_CONFLICT without material; USED_UP; UNAVAILABLE
 */
export const encryptionKey = (
  { domain }: ServedStore,
  { latest }: HostedKey,
  call: KeyUse,
): MaybePromise<EncryptionKey> =>
  afterBoth(
    materialOf(domain, latest, call),
    () => freshIv(domain, latest.id, call.now),
    (material, iv) => ({
      material,
      bound: { iv, metadata: metadataOf(latest) },
    }),
  )

export function encryptWith(
  { material, bound }: EncryptionKey,
  { plaintext, aad, verified }: Plain,
): { envelope: Envelope; integrityValue?: string } {
  const all = { ...bound, aad }
  return verified ? encryptVerified(material, plaintext, all) : { envelope: encryptEnvelope(material, plaintext, all) }
}

/**
 * The refusal of an envelope that no version of the key can have produced. A missing permission to decrypt takes
 * precedence.
 */
const unreadable = (latest: StoredLocalKey): Refusal =>
  allows(latest, 'decrypt') ? ciphertextInvalid() : usageDenied()

/** The version that the metadata names. @throws Refusal CIPHERTEXT_INVALID for metadata of another form */
function versionNamed(
  { domain }: ServedStore,
  { latest }: HostedKey,
  metadata: Buffer,
  now: Moment,
): ReturnType<typeof versionOf> {
  const version = versionInMetadata(metadata)
  if (version === undefined) throw unreadable(latest)
  return versionOf({ domain, latest }, version, now)
}

/**
 * The version that encrypted an envelope, if it may decrypt now. A key whose latest version is deactivated refuses
 * every envelope, as the protocol requires of disabled keys. A version with a successor still decrypts its own
 * envelopes.
 * @throws Refusal CIPHERTEXT_INVALID, STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE
 */
export function versionToDecrypt(
  store: ServedStore,
  key: HostedKey,
  metadata: Buffer,
  now: Moment,
): MaybePromise<StoredLocalKey> {
  assertNotBlocked(key)
  assertNotEnded(key, now)
  return after(versionNamed(store, key, metadata, now), (version) => {
    if (version === undefined) throw unreadable(key.latest)
    assertMay(version, 'process', USAGE.decrypt, now)
    if (!isAes256(version)) throw usageDenied()
    return version
  })
}

const mayNow = (version: StoredLocalKey, use: Use, now: Moment): boolean => {
  try {
    assertUsable(version, use, new Date(now.epochMs))
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** A local key as the protocol describes it. `ENABLED` means that everything its usage allows is possible now. */
export function describeKey(
  { blocked, latest }: HostedKey,
  now: Moment,
): { keySpec: string; keyUsage: string[]; keyStatus: 'ENABLED' | 'DISABLED' } {
  const isEnabled = !blocked && mayNow(latest, 'protect', now) && mayNow(latest, 'process', now)
  const bits = latest.usageMask
  return {
    keySpec: `${latest.algorithm.toUpperCase().replaceAll('-', '_')}_${latest.curveid ?? latest.size}`,
    keyUsage: [...(bits & USAGE.encrypt ? ['ENCRYPT'] : []), ...(bits & USAGE.decrypt ? ['DECRYPT'] : [])],
    keyStatus: isEnabled ? 'ENABLED' : 'DISABLED',
  }
}
