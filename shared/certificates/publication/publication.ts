import { hash } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { Refusal } from '../../base/errors.ts'
import { later } from '../../base/time.ts'
import { issueCrl } from '../../crypto/x509/revocation/crl.ts'
import { answerOcsp, ocspError, type CertificateStatus } from '../../crypto/x509/revocation/ocsp.ts'
import { readOcspRequest } from '../../crypto/x509/revocation/ocsp-request.ts'
import type { Context } from '../../http/context.ts'
import { ownerOf } from '../../store/owner.ts'
import { matching, pageOf } from '../../store/list.ts'
import { caStateAt, certified, type CertifiedCa } from '../authorities/records.ts'
import { CA_OWNER, localCas } from '../authorities/store.ts'
import { withAuthorityKey } from '../authority-key.ts'
import {
  issuedBy,
  issuedCertificates,
  publishedUntil,
  revocations,
  serialOf,
  UPDATED_AFTER_MS,
  type Revocation,
} from '../issued/store.ts'

/** Ours: the maximum delay of any change. */
const KEPT_MS = 5_000
const ENTRIES_MOST = 90_000

/** Signed bytes in base64. */
export interface Published {
  readonly content: string
  /** absent for an answer to a single client, or an error */
  readonly dates?: { readonly thisUpdate: Date; readonly nextUpdate: Date }
}

/** Recent answers of this instance, so that repeated requests need no signature. */
const kept = new BoundedCache<{ readonly atMs: number; readonly made: Promise<Published> }>(64)

function keptShortly(name: string, now: Date, make: () => Promise<Published>): Promise<Published> {
  const known = kept.get(name)
  const age = now.getTime() - (known?.atMs ?? -Infinity)
  if (known !== undefined && age >= 0 && age < KEPT_MS) return known.made
  const entry = { atMs: now.getTime(), made: make() }
  kept.set(name, entry)
  entry.made.catch(() => kept.get(name) === entry && kept.delete(name))
  return entry.made
}

/** An active authority of any domain, by its address. @throws Refusal NOT_FOUND */
async function publisher(id: string, now: Date): Promise<{ domain: string; authority: CertifiedCa }> {
  const domain = await ownerOf(CA_OWNER, id)
  const stored = domain === undefined ? undefined : await localCas.get(domain, id)
  if (domain === undefined || stored === undefined || caStateAt(stored.item, now) !== 'active')
    throw new Refusal('NOT_FOUND', 'There is no such local CA that is active.')
  return { domain, authority: certified(stored.item, now) }
}

/** Ours: callers without a token do not learn why an authority cannot sign. @throws Refusal UNAVAILABLE */
async function signing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Refusal) || (cause.reason !== 'STATE_CONFLICT' && cause.reason !== 'USAGE_DENIED'))
      throw cause
    throw new Refusal('UNAVAILABLE', 'The authority does not sign now.', { cause })
  }
}

/**
 * Ours: a list with more entries would exceed one answer (6 MB, in base64).
 * @throws Refusal UNAVAILABLE
 */
async function revokedBy(domain: string, id: string, now: Date) {
  const set = issuedBy(id)
  const { total } = await pageOf(revocations, domain, set, { skip: 0, limit: 0 })
  if (total > ENTRIES_MOST)
    throw new Refusal(
      'UNAVAILABLE',
      `The authority has more than ${ENTRIES_MOST} revoked certificates, too many for one list: ask for the status of each (OCSP).`,
    )
  const matches = (row: { readonly notAfter: string }) => publishedUntil(row) > now
  return matching(revocations, domain, { sets: [set], matches, narrowBy: '' })
}

/**
 * The revocation list of an authority, in base64. Ours: its number is the time in milliseconds, so that it grows
 * without writes, which anyone could cause; an expired certificate is omitted a day later.
 * @throws Refusal NOT_FOUND, UNAVAILABLE when the authority's key cannot sign
 */
export const publishedCrl = ({ now }: Pick<Context, 'now'>, id: string): Promise<Published> =>
  keptShortly(`crl ${id}`, now, async () => {
    const { domain, authority } = await publisher(id, now)
    const found = await revokedBy(domain, id, now)
    const revoked = found.map(({ row: { serialNumber: serial, at, reason } }) => ({ serial, at: new Date(at), reason }))
    const dates = { thisUpdate: now, nextUpdate: later(now, UPDATED_AFTER_MS) }
    const at = { domain, keyId: authority.key_id, now }
    const der = await signing(() =>
      withAuthorityKey(at, 'crlSign', (key) =>
        issueCrl({ issuer: authority.cert, key, number: now.getTime(), ...dates, revoked }),
      ),
    )
    return { content: der.toString('base64'), dates }
  })

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
  return keptShortly(`ocsp ${id} ${hash('sha256', question)}`, now, async () => {
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
