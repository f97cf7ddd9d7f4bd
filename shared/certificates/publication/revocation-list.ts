import { BoundedCache } from '../../base/bounded-cache.ts'
import { Refusal } from '../../base/errors.ts'
import { later } from '../../base/time.ts'
import { crlEntries, issueLongCrl } from '../../crypto/x509/revocation/crl.ts'
import type { Context } from '../../http/context.ts'
import { pageOf, rowsOf } from '../../store/list.ts'
import { putObject, signedAddress } from '../../store/objects.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { issuedBy, publishedUntil, revocations, UPDATED_AFTER_MS } from '../issued/store.ts'
import { keptFor, type Kept } from './kept.ts'
import { publisher, signing } from './publication.ts'

/** Ours: maximum age of a cached list that is returned in the answer itself. */
const KEPT_MS = 5_000
/** Ours: maximum age of a cached long list. Each new one reads all its entries. */
const LONG_KEPT_MS = 600_000
const LISTS_KEPT = 16
/** Time for which the address of a long list is valid. */
const ADDRESS_SECONDS = 300

/** Numbers of entries. Tests reach them with few. */
export interface ListBounds {
  /**
   * Ours: maximum number of entries in an answer (6 MB, in base64). A longer list is an object, and the answer contains
   * its address.
   */
  readonly answered: number
  /** Ours: a list of this length can be built within the time of a request. */
  readonly listed: number
}
const BOUNDS: ListBounds = { answered: 90_000, listed: 1_000_000 }

/** A list in base64, or the address from which it is read. */
export type PublishedList = { readonly content: string } | { readonly location: string }

/**
 * Object key of a long list. A later list replaces the object; the lifecycle rule of the bucket deletes the last one.
 */
const objectOf = (id: string): string => `reports/revocation-lists/${id}.crl`

type Made = { readonly content: string } | { readonly object: string }

const short = new BoundedCache<Kept<Made | 'long'>>(LISTS_KEPT)
const long = new BoundedCache<Kept<Made>>(LISTS_KEPT)

/** @throws Refusal UNAVAILABLE */
async function isLong(domain: string, id: string, { answered, listed }: ListBounds): Promise<boolean> {
  const { total } = await pageOf(revocations, domain, issuedBy(id), { skip: 0, limit: 0 })
  if (total > listed)
    throw new Refusal(
      'UNAVAILABLE',
      `The authority has more than ${listed} revoked certificates, too many for one list: ask for the status of each (OCSP).`,
    )
  return total > answered
}

/** The entries, encoded page by page, because a million records do not fit into memory. */
async function entriesOf(domain: string, id: string, now: Date): Promise<Buffer[]> {
  const pages: Buffer[] = []
  for await (const rows of rowsOf(revocations, domain, issuedBy(id))) {
    const published = rows.filter(({ row }) => publishedUntil(row) > now)
    pages.push(
      crlEntries(
        published.map(({ row: { serialNumber, at, reason } }) => ({ serial: serialNumber, at: new Date(at), reason })),
      ),
    )
  }
  return pages
}

async function listOf(id: string, now: Date): Promise<Buffer> {
  const { domain, authority } = await publisher(id, now)
  const entries = await entriesOf(domain, id, now)
  const dates = { thisUpdate: now, nextUpdate: later(now, UPDATED_AFTER_MS) }
  return signing(() =>
    withAuthorityKey({ domain, keyId: authority.key_id, now }, 'crlSign', (key) =>
      issueLongCrl({ issuer: authority.cert, key, number: now.getTime(), ...dates }, entries),
    ),
  )
}

/** Passes on slices: the object store receives parts of 5 MiB. */
async function* sliced(list: Buffer): AsyncGenerator<Buffer, void> {
  const most = 1_048_576
  for (let at = 0; at < list.length; at += most) yield await Promise.resolve(list.subarray(at, at + most))
}

async function storedList(id: string, now: Date): Promise<Made> {
  const object = objectOf(id)
  await putObject(object, 'application/pkix-crl', sliced(await listOf(id, now)))
  return { object }
}

/**
 * The revocation list of an authority. Ours: its number is the time in milliseconds, so that it grows without writes,
 * which anyone could cause; an expired certificate is omitted a day later.
 * @throws Refusal NOT_FOUND, UNAVAILABLE when the authority's key cannot sign
 */
export async function publishedCrl(
  { now }: Pick<Context, 'now'>,
  id: string,
  bounds: ListBounds = BOUNDS,
): Promise<PublishedList> {
  const made = await keptFor(KEPT_MS, short, id, now, async () => {
    const { domain } = await publisher(id, now)
    if (await isLong(domain, id, bounds)) return 'long'
    return { content: (await listOf(id, now)).toString('base64') }
  })
  const list = made === 'long' ? await keptFor(LONG_KEPT_MS, long, id, now, () => storedList(id, now)) : made
  if ('content' in list) return list
  return { location: await signedAddress(list.object, { fileName: `${id}.crl`, now, seconds: ADDRESS_SECONDS }) }
}
