import { hash } from 'node:crypto'
import type { Context } from '../../http/context.ts'
import { ok, operation, redirect, route, type Reply, type Route } from '../../http/operation.ts'
import { LOCAL_CAS } from '../identifiers.ts'
import { Bytes, PublishedPath, Question, QuestionPath } from './model.ts'
import { answerStatus, type Published } from './publication.ts'
import { publishedCrl } from './revocation-list.ts'

/** GET /v1/ca/local-cas/{id}/crl: the revocation list of an authority, for everyone; a long one from a signed address. */
const crl = operation(
  {
    summary: 'Get CRL',
    path: PublishedPath,
    answers: Bytes,
    media: 'application/pkix-crl',
    mayRedirect: true,
    may: 'anyone',
    cacheable: true,
  },
  async ({ path, context }) => {
    const list = await publishedCrl(context, path.id)
    return 'content' in list ? ok(list.content) : redirect(list.location)
  },
)

/** POST /v1/ca/local-cas/{id}/ocsp: the status of single certificates (RFC 6960). */
const ocsp = operation(
  {
    summary: 'Get Certificate Status',
    path: PublishedPath,
    body: Question,
    takes: 'application/ocsp-request',
    answers: Bytes,
    media: 'application/ocsp-response',
    may: 'anyone',
    reads: true,
  },
  async ({ path, body, context }) => ok((await answerStatus(context, path.id, body)).content),
)

/** Headers that allow caches to keep an answer until its end. @see RFC 5019 §6.2 */
function cached({ now }: Pick<Context, 'now'>, { content, dates }: Published): Reply {
  if (dates === undefined) return ok(content)
  const { thisUpdate, nextUpdate } = dates
  const maxAge = Math.max(0, Math.floor((nextUpdate.getTime() - now.getTime()) / 1_000))
  return {
    ...ok(content),
    headers: {
      'last-modified': thisUpdate.toUTCString(),
      expires: nextUpdate.toUTCString(),
      etag: `"${hash('sha256', Buffer.from(content, 'base64'))}"`,
      'cache-control': `max-age=${maxAge}, public, no-transform, must-revalidate`,
    },
  }
}

/** GET /v1/ca/local-cas/{id}/ocsp/{request}: the same, with the request in the address, for caches (RFC 6960 §A.1). */
const ocspByGet = operation(
  {
    summary: 'Get Certificate Status by Address',
    path: QuestionPath,
    takesRest: true,
    answers: Bytes,
    media: 'application/ocsp-response',
    may: 'anyone',
  },
  async ({ path, context }) => cached(context, await answerStatus(context, path.id, path.request)),
)

/** For everyone who relies on certificates, without a token. */
export const routes: readonly Route[] = [
  route('GET', `${LOCAL_CAS}/{id}/crl`, crl),
  route('POST', `${LOCAL_CAS}/{id}/ocsp`, ocsp),
  route('GET', `${LOCAL_CAS}/{id}/ocsp/{request}`, ocspByGet),
]
