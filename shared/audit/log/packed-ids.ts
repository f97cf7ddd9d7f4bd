import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { uuidText } from '../../base/ids.ts'

const ID_BYTES = 16
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * UUIDs in about 10 bytes each: stored column by column, since ids of the same time share their first bytes, then
 * deflated.
 * @throws RangeError, a fault, for an id that is not a UUID in lower case
 */
export function packedIds(ids: readonly string[]): Buffer {
  const columns = Buffer.alloc(ids.length * ID_BYTES)
  for (const [at, id] of ids.entries()) {
    if (!UUID.test(id)) throw new RangeError('Only UUIDs are packed')
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    for (let column = 0; column < ID_BYTES; column++) columns[column * ids.length + at] = bytes.readUInt8(column)
  }
  return deflateRawSync(columns, { level: 9 })
}

/** The ids of packed bytes. @param count number of ids. @throws Error for bytes that do not contain this number */
export function unpackedIds(packed: Uint8Array, count: number): string[] {
  const columns = inflateRawSync(packed, { maxOutputLength: count * ID_BYTES || 1 })
  if (columns.length !== count * ID_BYTES) throw new Error(`The packed ids are not ${count}`)
  return Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.from(Array.from({ length: ID_BYTES }, (_, column) => columns.readUInt8(column * count + at)))
    return uuidText(bytes)
  })
}
