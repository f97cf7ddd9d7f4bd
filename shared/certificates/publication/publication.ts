import { hash } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { Refusal } from '../../base/errors.ts'
import { later } from '../../base/time.ts'
import { answerOcsp, ocspError, type CertificateStatus } from '../../crypto/x509/revocation/ocsp.ts'
import { readOcspRequest } from '../../crypto/x509/revocation/ocsp-request.ts'
import type { Context } from '../../http/context.ts'
import { ownerOf } from '../../store/owner.ts'
import { caStateAt, certified, type CertifiedCa } from '../authorities/records.ts'
import { CA_OWNER, localCas } from '../authorities/store.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { issuedCertificates, revocations, serialOf, UPDATED_AFTER_MS, type Revocation } from '../issued/store.ts'
import { keptFor, type Kept } from './kept.ts'

/** Ours: the maximum delay of any change. */
const KEPT_MS = 5_000
const OCSP_KEPT = 64

/** Signed bytes in base64. */
export interface Published {
  readonly content: string
  /** absent for an answer to a single client, or an error */
  readonly dates?: { readonly thisUpdate: Date; readonly nextUpdate: Date }
}

/** Recent answers of this instance, so that repeated requests need no signature. */
const kept = new BoundedCache<Kept<Published>>(OCSP_KEPT)

/** An active authority of any domain, by its address. @throws Refusal NOT_FOUND */
export async function publisher(id: string, now: Date): Promise<{ domain: string; authority: CertifiedCa }> {
  const domain = await ownerOf(CA_OWNER, id)
  const stored = domain === undefined ? undefined : await localCas.get(domain, id)
  if (domain === undefined || stored === undefined || caStateAt(stored.item, now) !== 'active')
    throw new Refusal('NOT_FOUND', 'There is no such local CA that is active.')
  return { domain, authority: certified(stored.item, now) }
}

/** Ours: callers without a token do not learn why an authority cannot sign. @throws Refusal UNAVAILABLE */
export async function signing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Refusal) || (cause.reason !== 'STATE_CONFLICT' && cause.reason !== 'USAGE_DENIED'))
      throw cause
    throw new Refusal('UNAVAILABLE', 'The authority does not sign now.', { cause })
  }
}

const revocationIn = (one: {
  readonly revoked_at?: string | undefined
  readonly revoked_reason?: Revocation['reason'] | undefined
}) =>
  one.revoked_at === undefined || one.revoked_reason === undefined
    ? undefined
    : { at: new Date(one.revoked_at), reason: one.revoked_reason }

/**
 * The status of a certificate by its serial number; `undefined` if the authority has no record of it. The record
 * determines the status of an expired certificate, since its revocation is not kept.
 */
async function statusOf(domain: string, id: string, serial: string): Promise<CertificateStatus | undefined> {
  const name = serialOf(id, serial)
  const [revocation, record] = await Promise.all([
    revocations.get(domain, name),
    issuedCertificates.find(domain, 'serial', name),
  ])
  if (revocation !== undefined) return { at: new Date(revocation.item.at), reason: revocation.item.reason }
  return record && (revocationIn(record.item) ?? 'good')
}

/**
 * The OCSP answer about certificates of an authority; request and answer in base64.
 * @throws Refusal NOT_FOUND, UNAVAILABLE when the authority's key cannot sign
 */
export async function answerStatus({ now }: Pick<Context, 'now'>, id: string, question: string): Promise<Published> {
  const request = readOcspRequest(Buffer.from(question, 'base64'))
  if (request === undefined) return { content: ocspError('malformedRequest').toString('base64') }
  return keptFor(KEPT_MS, kept, `${id} ${hash('sha256', question)}`, now, async () => {
    const { domain, authority } = await publisher(id, now)
    const serials = [...new Set(request.asked.map(({ serial }) => serial))]
    const known = await Promise.all(
      serials.map(async (serial) => [serial, await statusOf(domain, id, serial)] as const),
    )
    const statuses = new Map(
      known.flatMap(([serial, status]) => (status === undefined ? [] : [[serial, status] as const])),
    )
    const dates = { thisUpdate: now, nextUpdate: later(now, UPDATED_AFTER_MS) }
    const at = { domain, keyId: authority.key_id, now }
    const der = await signing(() =>
      withAuthorityKey(at, 'crlSign', (key) =>
        answerOcsp({ issuer: authority.cert, key, request, statuses, ...dates }),
      ),
    )
    return { content: der.toString('base64'), ...(request.nonce === undefined && { dates }) }
  })
}
