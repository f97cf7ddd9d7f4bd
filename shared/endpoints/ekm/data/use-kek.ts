import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../../../crypto/aead.ts'
import { USAGE } from '../../../crypto/algorithms.ts'
import { openBlob, sealBlob, versionInBlob } from '../../../crypto/ekm-blob.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Moment } from '../../../base/moment.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { freshIv } from '../../../serving/key-use/key-uses.ts'
import { materialOf, versionNumbered } from '../../../serving/key-use/key-version.ts'
import { onceASecond, type FoundIn } from '../../../serving/key-use/once-a-second.ts'
import { assertUsable, type Use } from '../../../vault/keys/key-state.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

const found: Readonly<Record<Use, FoundIn>> = { protect: new WeakMap(), process: new WeakMap() }

/** Whether a version may be used so now. @param bit of its usage mask. @throws Refusal STATE_CONFLICT, USAGE_DENIED */
export function assertMay(version: StoredLocalKey, use: Use, bit: number, now: Moment): void {
  onceASecond(found[use], version, now, (date) => assertUsable(version, use, date))
  if ((version.usageMask & bit) === 0) throw new Refusal('USAGE_DENIED', 'The key does not permit the operation.')
}

/** @throws Refusal STATE_CONFLICT for a version without material */
export function present(material: KeyObject | undefined): KeyObject {
  if (material === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no material.')
  return material
}

/**
 * A blob under the latest version, which it names. What is at hand is not awaited.
 * @throws Refusal STATE_CONFLICT, USED_UP, USAGE_DENIED, UNAVAILABLE
 */
export function wrap(
  { domain, latest }: ServedEndpoint,
  plaintext: Buffer,
  aad: Buffer,
  now: Moment,
): Buffer | Promise<Buffer> {
  assertMay(latest, 'protect', USAGE.wrap, now)
  const material = materialOf(domain, latest, now)
  const iv = freshIv(domain, latest.id, now)
  if (!(material instanceof Promise) && !(iv instanceof Promise))
    return sealBlob(present(material), latest, plaintext, iv, aad)
  return Promise.all([material, iv]).then(([key, drawn]) => sealBlob(present(key), latest, plaintext, drawn, aad))
}

function existing(version: StoredLocalKey | undefined): StoredLocalKey {
  if (version === undefined) throw ciphertextInvalid()
  return version
}

/**
 * The version that a blob names. What is at hand is not awaited.
 * @throws Refusal CIPHERTEXT_INVALID for what is no blob, and for a version that is not there; UNAVAILABLE
 */
export function versionToUnwrap(
  { domain, latest }: ServedEndpoint,
  blob: Buffer,
  now: Moment,
): StoredLocalKey | Promise<StoredLocalKey> {
  const number = versionInBlob(blob)
  if (number === latest.version) return latest
  const version = versionNumbered(domain, latest.name, number, now)
  return version instanceof Promise ? version.then(existing) : existing(version)
}

/**
 * What is in a blob of the version that it names. Ours: an older version opens by its own state, whatever became of the
 * latest.
 * @throws Refusal CIPHERTEXT_INVALID, the same for whatever is wrong with it; STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE
 */
export async function unwrap(
  { domain }: ServedEndpoint,
  version: StoredLocalKey,
  blob: Buffer,
  aad: Buffer,
  now: Moment,
): Promise<Buffer> {
  assertMay(version, 'process', USAGE.unwrap, now)
  const material = materialOf(domain, version, now)
  return openBlob(present(material instanceof Promise ? await material : material), version, blob, aad)
}
