import { isObject } from '../../base/json.ts'

/** A page of a list: the window, the number of matching records, and the records. */
interface ListPage {
  readonly limit: number
  readonly total: number
  readonly resources: readonly unknown[]
}

export const isList = (body: unknown): body is ListPage =>
  isObject(body) && Array.isArray(body.resources) && typeof body.total === 'number' && typeof body.limit === 'number'

/**
 * Maximum size of the records of one page. A function's answer is limited to 6 MB. It contains the body as a JSON
 * string, with the header fields and the envelope.
 */
const RECORDS_BYTES = 6 * 1024 * 1024 - 64 * 1024

/** Bytes of a record in the answer: its JSON becomes part of a JSON string, which escapes every `"` and `\`. */
const bytesOf = (record: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(record)))

/**
 * Number of the first records that fit into one answer, at least one. Escapes at most double a text, so that most pages
 * are measured in one pass.
 */
function fitting(records: readonly unknown[]): number {
  if (2 * Buffer.byteLength(JSON.stringify(records)) <= RECORDS_BYTES) return records.length
  let bytes = 0
  const tooLong = records.findIndex((record) => (bytes += bytesOf(record)) > RECORDS_BYTES)
  return tooLong === -1 ? records.length : Math.max(tooLong, 1)
}

/**
 * Shortens a page that is too long for one answer. `limit` becomes the number of remaining records, so that the next
 * page begins at `skip + limit`.
 */
export function withinAnswer<R extends { readonly body: unknown }>(reply: R): R {
  const { body } = reply
  if (!isList(body)) return reply
  const kept = fitting(body.resources)
  if (kept === body.resources.length) return reply
  return { ...reply, body: { ...body, limit: kept, resources: body.resources.slice(0, kept) } }
}
