import { createPublicKey } from 'node:crypto'
import { Refusal } from '../../../../base/errors.ts'
import type { Moment } from '../../../../base/moment.ts'
import { encryptedKey } from '../../../../crypto/jose/key-jwe.ts'
import { openSdkless } from '../../../../serving/domain-key.ts'
import type { CommonRecord } from '../../../../serving/access-log.ts'
import { beginKeyUse } from '../../../../serving/key-use/key-version.ts'
import type { Verb } from '../../../../serving/pipeline.ts'
import { keyAsOf } from '../../../../vault/keys/lifecycle/key-state.ts'
import { sealPurpose } from '../../../../vault/keys/material/seal-purpose.ts'
import { isKid } from '../../keys/kid.ts'
import { CrmRefusal } from './errors.ts'
import { servedKey, type ServedEndpoint, type ServedKey } from './served.ts'

/** A fetch that an endpoint serves. */
export interface CrmCall {
  readonly endpoint: ServedEndpoint
  readonly kid: string
  readonly query: string
  readonly now: Moment
  readonly record: CommonRecord
}

interface Asked {
  readonly kid: string
  /** present exactly when the cloud detects replays */
  readonly nonce: string | undefined
}

const NONCE = /^[A-Za-z0-9._-]{1,256}$/

/** @throws CrmRefusal BAD_REQUEST */
function read({ kid, query }: CrmCall): Asked {
  if (!isKid(kid)) throw new CrmRefusal('BAD_REQUEST', 'The key identifier is not valid.')
  const [nonce, ...more] = new URLSearchParams(query).getAll('requestId')
  if (more.length > 0 || (nonce !== undefined && !NONCE.test(nonce)))
    throw new CrmRefusal('BAD_REQUEST', 'requestId is not valid.')
  return { kid, nonce }
}

/**
 * Refuses a key that its owner disabled or destroyed here. The status that the cloud reports does not count: the cloud
 * sets it by itself when a fetch fails, and only a successful fetch activates the key again.
 * @throws Refusal STATE_CONFLICT
 */
function assertServed({ key, version }: ServedKey, { epochMs }: Moment): void {
  if (key.destroyed) throw new Refusal('STATE_CONFLICT', 'The cache-only key was destroyed.')
  const state = version && keyAsOf(version, new Date(epochMs))
  if (state?.state !== 'Active' || state.archiveDate !== undefined || state.sealed === undefined)
    throw new Refusal('STATE_CONFLICT', 'The source key is not active.')
}

/** @throws CrmRefusal NOT_FOUND; Refusal STATE_CONFLICT, UNAVAILABLE */
async function keyNamed({ endpoint, now }: CrmCall, { kid }: Asked): Promise<ServedKey> {
  const served = await servedKey(endpoint, kid, now)
  if (served === undefined) throw new CrmRefusal('NOT_FOUND', 'The organization has no such key.')
  assertServed(served, now)
  return served
}

/** The key in a JWE for the certificate. Its bytes are in memory only meanwhile, and in no cache. */
async function use(
  { now, record }: CrmCall,
  { kid, nonce }: Asked,
  { domain, key, version }: ServedKey,
): Promise<object> {
  if (version) await beginKeyUse(version, record)
  const { id = '', version: number = 0, sealed = '' } = version ?? {}
  const bytes = await openSdkless(domain, sealPurpose({ id, version: number }), sealed, now)
  try {
    const certified = createPublicKey({ key: Buffer.from(key.public_key, 'base64'), format: 'der', type: 'spki' })
    return { kid, jwe: await encryptedKey(bytes, certified, kid, nonce) }
  } finally {
    bytes.fill(0)
  }
}

/** GET {url}{kid}[?requestId=…]. */
export const fetchKey: Verb<CrmCall, Asked, ServedKey> = { read, key: keyNamed, use }
