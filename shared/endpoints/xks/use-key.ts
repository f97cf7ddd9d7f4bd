import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../../crypto/aead.ts'
import { USAGE } from '../../crypto/algorithms.ts'
import { decryptEnvelope, encryptEnvelope, encryptVerified, type Envelope } from '../../crypto/xks-envelope.ts'
import { Refusal } from '../../base/errors.ts'
import type { Moment } from '../../base/moment.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import { assertUsable, keyAsOf } from '../../vault/keys/key-state.ts'
import type { HostedKey } from './hosted-key.ts'
import type { ServedStore } from './key-store.ts'
import { freshIv } from '../../serving/key-use/key-uses.ts'
import { materialOf, versionNumbered } from '../../serving/key-use/key-version.ts'
import { onceASecond, type FoundIn } from '../../serving/key-use/once-a-second.ts'

/** Metadata of an envelope: one byte that names the layout, then the version of the key material, big-endian. */
const LAYOUT = 1
const METADATA_BYTES = 5
const VERSION_AT = 1

function metadataOf({ version }: StoredLocalKey): Buffer {
  const metadata = Buffer.allocUnsafe(METADATA_BYTES)
  metadata.writeUInt8(LAYOUT, 0)
  metadata.writeUInt32BE(version, VERSION_AT)
  return metadata
}

const denied = (): Refusal => new Refusal('USAGE_DENIED', 'The key does not permit the operation.')

const isAes256 = ({ algorithm, size }: StoredLocalKey): boolean => algorithm === 'aes' && size === 256
const allows = (key: StoredLocalKey, use: 'encrypt' | 'decrypt'): boolean =>
  isAes256(key) && (key.usageMask & USAGE[use]) !== 0

function assertOpen({ blocked }: HostedKey): void {
  if (blocked) throw new Refusal('STATE_CONFLICT', 'The key is blocked.')
}

/** @throws Refusal STATE_CONFLICT for a version without material */
function present(material: KeyObject | undefined): KeyObject {
  if (material === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no material.')
  return material
}

const notEnded: FoundIn = new WeakMap()
const processing: FoundIn = new WeakMap()

/** @throws Refusal STATE_CONFLICT once the latest version is deactivated, compromised or destroyed: the key as a whole is then */
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
  /** whether the digest is asked for, and with it the proof that the answer decrypts */
  readonly verified: boolean
}

/**
 * Whether the key's latest version may encrypt now.
 * @throws Refusal STATE_CONFLICT; USAGE_DENIED, also when it is to be verified and the key may not decrypt
 */
export function assertMayEncrypt(key: HostedKey, verified: boolean, now: Moment): void {
  assertOpen(key)
  assertUsable(key.latest, 'protect', new Date(now.epochMs))
  if (!allows(key.latest, 'encrypt') || (verified && !allows(key.latest, 'decrypt'))) throw denied()
}

/**
 * Encrypts under the latest version of the local key behind `key`, for which `assertMayEncrypt` was asked.
 * @throws Refusal STATE_CONFLICT when it is used up; UNAVAILABLE
 */
export async function encrypt(
  { domain }: ServedStore,
  { latest }: HostedKey,
  { plaintext, aad, verified }: Plain,
  now: Moment,
): Promise<{ envelope: Envelope; integrityValue?: string }> {
  const key = present(await materialOf(domain, latest, now))
  const bound = { iv: await freshIv(domain, latest.id, now), aad, metadata: metadataOf(latest) }
  return verified ? encryptVerified(key, plaintext, bound) : { envelope: encryptEnvelope(key, plaintext, bound) }
}

/** The version that metadata names. @throws Refusal CIPHERTEXT_INVALID for metadata of another form */
function versionNamed(
  { domain }: ServedStore,
  { latest }: HostedKey,
  metadata: Buffer,
  now: Moment,
): ReturnType<typeof versionNumbered> {
  if (metadata.length !== METADATA_BYTES || metadata[0] !== LAYOUT) throw unreadable(latest)
  const number = metadata.readUInt32BE(VERSION_AT)
  return number === latest.version ? latest : versionNumbered(domain, latest.name, number, now)
}

/**
 * The version an envelope was encrypted under, which may decrypt now. A key whose latest version is deactivated does
 * nothing, as the protocol has it for disabled keys; a version that another has succeeded still decrypts what is its own.
 * @throws Refusal CIPHERTEXT_INVALID, STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE
 */
export function versionToDecrypt(
  store: ServedStore,
  key: HostedKey,
  metadata: Buffer,
  now: Moment,
): StoredLocalKey | Promise<StoredLocalKey> {
  assertOpen(key)
  assertNotEnded(key, now)
  const version = versionNamed(store, key, metadata, now)
  const check = (found: StoredLocalKey | undefined): StoredLocalKey => mayDecrypt(found, key, now)
  return version instanceof Promise ? version.then(check) : check(version)
}

/** What no version of the key can have made. Whether the key may decrypt at all comes before that. */
const unreadable = (latest: StoredLocalKey): Refusal => (allows(latest, 'decrypt') ? ciphertextInvalid() : denied())

function mayDecrypt(version: StoredLocalKey | undefined, { latest }: HostedKey, moment: Moment): StoredLocalKey {
  if (version === undefined) throw unreadable(latest)
  onceASecond(processing, version, moment, (now) => assertUsable(version, 'process', now))
  if (!allows(version, 'decrypt')) throw denied()
  return version
}

/** The plaintext of an envelope, under the version `versionToDecrypt` found. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export function decrypt(
  { domain }: ServedStore,
  version: StoredLocalKey,
  envelope: Envelope,
  now: Moment,
): Buffer | Promise<Buffer> {
  const material = materialOf(domain, version, now)
  return material instanceof Promise
    ? material.then((opened) => decryptEnvelope(present(opened), envelope))
    : decryptEnvelope(present(material), envelope)
}

const mayNow = (version: StoredLocalKey, use: 'protect' | 'process', now: Moment): boolean => {
  try {
    assertUsable(version, use, new Date(now.epochMs))
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** A local key as the protocol describes it. `ENABLED`: it may do now whatever its usage says. */
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
