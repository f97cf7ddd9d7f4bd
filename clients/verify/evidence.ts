import { createHash } from 'node:crypto'
import { isObject, jsonOf, type Fields } from '../../shared/base/json.ts'
import { isSigned, readCompactJws, verifyingKey, type VerifyingKey } from '../../shared/crypto/jose/jws.ts'
import { Unreadable } from './zip-reader.ts'

/** The evidence of an export, from its ZIP file (`evidence/<tenant>.json`). */
export interface Evidence {
  readonly frontier: readonly string[]
  readonly after: readonly string[]
  readonly head: string | undefined
  readonly statement: string
  readonly keys: readonly Fields[]
}

/** The signed statement of the service about the export. */
export interface Statement {
  readonly domain: string
  readonly from: string
  readonly to: string
  readonly time: string
  /** positions: `first` (inclusive) to `end` (exclusive) */
  readonly first: number
  readonly end: number
  readonly listed: number
  readonly context: number
  readonly gone: number
  /** size of the tree of the proofs */
  readonly size: number
  /** records before this time may have been deleted */
  readonly keptSince: string | undefined
}

/** A signed head of the tree. */
export interface Head {
  readonly size: number
  readonly root: string
  readonly time: string
}

const FORMAT = 'keymgr-audit-evidence-1'
const HASH = /^[0-9a-f]{64}$/

const isHashes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && HASH.test(each))

/** @throws Unreadable */
export function readEvidence(bytes: Buffer): Evidence {
  const value = jsonOf(bytes.toString())
  if (!isObject(value) || value.format !== FORMAT) throw new Unreadable('The evidence is in no known format')
  const { frontier, after, head, statement, keys } = value
  const isWhole = isHashes(frontier) && isHashes(after) && typeof statement === 'string' && Array.isArray(keys)
  if (!isWhole || (head !== undefined && typeof head !== 'string')) throw new Unreadable('The evidence is not whole')
  return { frontier, after, head, statement, keys: keys.filter(isObject) }
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

/** @throws Unreadable for a text that is not a statement, whether or not it is signed */
export function readStatement(jws: string): Statement {
  const { first, end, listed, context, gone, size, domain, from, to, time, keptSince } =
    readCompactJws(jws)?.payload ?? {}
  const sizes = [first, end, listed, context, gone, size]
  const isWhole = sizes.every(isSize) && typeof domain === 'string' && [from, to, time].every(isTime)
  if (!isWhole || Number(first) > Number(end)) throw new Unreadable('The statement of the export is not whole')
  return {
    ...(readCompactJws(jws)?.payload as unknown as Statement),
    keptSince: isTime(keptSince) ? keptSince : undefined,
  }
}

const headIn = ({ size, root, time }: Fields): Head | undefined =>
  isSize(size) && typeof root === 'string' && isTime(time) ? { size, root, time } : undefined

/** @see RFC 7638 */
export const thumbprint = ({ crv, kty, x, y }: Fields): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')

/** The trusted keys. */
export class Trust {
  readonly #keys = new Map<string, VerifyingKey>()
  /** thumbprints of the trusted keys */
  readonly thumbprints: readonly string[]

  /**
   * @param own keys of the export @param trusted keys, or the thumbprint of a key in the export; default: all keys of
   * the export
   */
  constructor(own: readonly Fields[], trusted: readonly Fields[] | string | undefined) {
    const keys = typeof trusted === 'string' ? own.filter((jwk) => thumbprint(jwk) === trusted) : (trusted ?? own)
    for (const jwk of keys) {
      const key = verifyingKey(jwk)
      if (key !== undefined) this.#keys.set(thumbprint(jwk), key)
    }
    this.thumbprints = [...this.#keys.keys()]
  }

  /** The content of a signed text of this type and domain; `undefined` when no trusted key has signed it. */
  signed(jws: string, typ: string, domain: string): Fields | undefined {
    const read = readCompactJws(jws)
    if (read?.header.typ !== typ || read.payload.domain !== domain) return undefined
    return [...this.#keys.values()].some((key) => isSigned(read, key)) ? read.payload : undefined
  }

  /** A signed head; `undefined` when no trusted key has signed it. */
  head(jws: string, domain: string): Head | undefined {
    const payload = this.signed(jws, 'audit-tree-head+jwt', domain)
    return payload && headIn(payload)
  }
}
