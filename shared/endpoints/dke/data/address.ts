import type { Address } from '../../../serving/pipeline.ts'
import { DATA_PLANE } from '../identifiers.ts'

export interface DkeAddress extends Address {
  readonly operation: 'publicKey' | 'decrypt'
  readonly endpoint: string
  /** name of the key in the path */
  readonly key: string
  /** version in a document's spelling; empty for the public key */
  readonly version: string
}

/** `<key>/<version>/decrypt`; clients write the last word in any case. A key's name may contain slashes. */
const DECRYPT = /^(.+)\/([^/]*)\/decrypt$/i
const KEYS = '/keys/'

/** Decodes a path segment; a name may arrive already decoded, or with invalid escapes. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** `undefined` for an unknown path. */
export function parsePath(path: string): DkeAddress | undefined {
  const rest = path.startsWith(DATA_PLANE) ? path.slice(DATA_PLANE.length) : ''
  const end = rest.indexOf(KEYS)
  const endpoint = rest.slice(0, end)
  const after = rest.slice(end + KEYS.length)
  if (end < 1 || endpoint.includes('/') || after === '') return undefined
  const [, key, version = ''] = DECRYPT.exec(after) ?? []
  return key === undefined
    ? { operation: 'publicKey', method: 'GET', endpoint, key: decoded(after), version: '' }
    : { operation: 'decrypt', method: 'POST', endpoint, key: decoded(key), version }
}
