import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../../../crypto/aead.ts'
import {
  openFields,
  sealFields,
  versionInBlob,
  type BlobFields,
  type BlobOf,
} from '../../../crypto/protocols/kacls-blob.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { freshIv } from '../../../serving/key-use/key-uses.ts'
import { materialOf, versionOf, type KeyUse } from '../../../serving/key-use/key-version.ts'
import { assertMay } from '../../../serving/key-use/may-use.ts'
import { after, afterBoth, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { KaclsCall } from './call.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

type Kind = BlobOf['kind']

/** The latest version of an endpoint's key, ready to seal one blob. */
export interface Sealing {
  readonly material: KeyObject
  readonly iv: Buffer
}

/** @throws Refusal STATE_CONFLICT, USAGE_DENIED, USED_UP, UNAVAILABLE */
export function sealing(
  { domain, latest }: Pick<ServedEndpoint, 'domain' | 'latest'>,
  call: KeyUse,
): MaybePromise<Sealing> {
  assertMay(latest, 'protect', USAGE.wrap, call.now)
  const material = materialOf(domain, latest, call)
  return afterBoth(
    material,
    () => freshIv(domain, latest.id, call.now),
    (known, iv) => ({ material: known, iv }),
  )
}

/** A blob in base64. @param fields the key comes first */
export const sealed = (
  { id, latest }: Pick<ServedEndpoint, 'id' | 'latest'>,
  kind: Kind,
  fields: BlobFields,
  { material, iv }: Sealing,
): string => sealFields(material, { kind, endpoint: id, key: latest }, fields, iv).toString('base64')

/**
 * The fields of a blob, opened with the version that it names.
 * @throws Refusal CIPHERTEXT_INVALID, STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE
 */
export function opened(call: KaclsCall, kind: Kind, blob: Buffer): MaybePromise<BlobFields> {
  const { endpoint, record, now } = call
  return after(versionOf(endpoint, versionInBlob(blob, kind), now), (version) => {
    if (version === undefined) throw ciphertextInvalid()
    record.version = version.version
    assertMay(version, 'process', USAGE.unwrap, now)
    return after(materialOf(endpoint.domain, version, call), (material) =>
      openFields(material, { kind, endpoint: endpoint.id, key: version }, blob),
    )
  })
}

/** Runs the rest of a call, and zeroes the key when it throws. */
export function orZeroed<T>(key: Buffer, rest: () => MaybePromise<T>): MaybePromise<T> {
  const zeroed = (error: unknown): never => {
    key.fill(0)
    throw error
  }
  try {
    const done = rest()
    return done instanceof Promise ? done.catch(zeroed) : done
  } catch (error) {
    return zeroed(error)
  }
}
