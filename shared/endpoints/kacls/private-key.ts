import { Refusal, ruleBroken } from '../../base/errors.ts'
import type { Moment } from '../../base/moment.ts'
import { readRsaPrivateKey } from '../../crypto/rsa/rsa-private-key.ts'
import type { Context } from '../../http/context.ts'
import { findRecord } from '../../resource/records.ts'
import { assertEnabled } from '../../endpoint/states.ts'
import { assertKeyOpen } from '../../emergency/assert-open.ts'
import { usedBy } from '../../vault/keys/policies/access.ts'
import { recordCanaryUse } from '../../vault/keys/canary/use.ts'
import { localKeys, type StoredLocalKey } from '../../vault/keys/store.ts'
import { sealed, sealing } from './data/kek.ts'
import type { WrappedPrivateKey, WrapPrivateKey } from './model.ts'
import { kaclsEndpointKind } from './records.ts'
import type { StoredKaclsEndpoint } from './store.ts'

/** Ours: opening the local key takes two calls, and only an administrator's tool waits. */
const SEAL_WITHIN_MS = 5_000

function momentOf({ now }: Context): Moment {
  const monoMs = performance.now()
  return { monoMs, epochMs: now.getTime(), untilMs: monoMs + SEAL_WITHIN_MS }
}

/** The version that wraps. @throws Refusal STATE_CONFLICT */
async function latestOf(domain: string, { kekID, name }: StoredKaclsEndpoint): Promise<StoredLocalKey> {
  const stored = await localKeys.get(domain, kekID)
  if (stored === undefined) throw new Refusal('STATE_CONFLICT', `The KACLS endpoint ${name} has no local key any more.`)
  return stored.item
}

/**
 * Wraps a private key under the endpoint's key: the mail application stores it in this form, and sends it with each
 * message to be signed or decrypted. Nothing of it is stored here. Ours: only administrators with a token of this
 * service wrap private keys, so the perimeter needs no rule for it.
 * @throws Refusal NOT_FOUND; STATE_CONFLICT for an endpoint or a key that is not in use; RULE_BROKEN for a text that is
 * no RSA key; USAGE_DENIED, USED_UP, TOO_MANY_REQUESTS, UNAVAILABLE
 */
export async function wrapPrivateKey(
  context: Context,
  id: string,
  { private_key: text, perimeter_id: perimeterId }: WrapPrivateKey,
): Promise<WrappedPrivateKey> {
  const { item: endpoint } = await findRecord(kaclsEndpointKind, context, id)
  assertEnabled(kaclsEndpointKind, endpoint)
  const subject = { uri: endpoint.uri, name: endpoint.name }
  context.about(subject)
  const domain = context.caller.domain.id
  const latest = await latestOf(domain, endpoint)
  recordCanaryUse(context, latest, 'EncryptWithKey')
  await assertKeyOpen(usedBy(context), latest)
  const kek = await sealing({ domain, latest }, { now: momentOf(context), record: {} })
  const key = await readRsaPrivateKey(text)
  if (key === undefined)
    throw ruleBroken('private_key', 'must be an RSA private key of 2048 to 4096 bits, not encrypted')
  const { pkcs8, spkiHash } = key
  // The key pair as tokens of the suite name it. Nothing of it is stored, so only this record shows that it was
  // wrapped.
  context.about({ ...subject, after: { perimeter_id: perimeterId, spki_hash: spkiHash.toString('base64') } })
  try {
    const blob = sealed({ id, latest }, 'private-key', [pkcs8, Buffer.from(perimeterId), spkiHash], kek)
    return { wrapped_private_key: blob }
  } finally {
    pkcs8.fill(0)
  }
}
