import { isObject, type Fields } from '../../shared/base/json.ts'
import { isSigned, readCompactJws, verifyingKey } from '../../shared/crypto/jose/jws.ts'
import { provesInclusion } from '../../shared/crypto/merkle/proofs.ts'

/** The result of an offline check of a passport. */
export interface PassportCheck {
  /** Whether the given keys made the signatures, and every proof leads to the signed head. */
  readonly isGenuine: boolean
  /** errors, one sentence each */
  readonly faults: readonly string[]
  /** the statement; `undefined` when its signature is not genuine */
  readonly claims: Fields | undefined
  /** ids of records whose proofs lead to the head */
  readonly proven: readonly string[]
  /** ids of records that no signed head covered when the passport was created */
  readonly pending: readonly string[]
}

/** Public keys, from a source that the reader trusts: never from the passport itself. @see RFC 7517 §5 */
export interface KeySet {
  readonly keys: readonly Fields[]
}

const TYPE = 'keymgr-passport+jwt'
export const HEAD_TYPE = 'audit-tree-head+jwt'

/** Payload of a compact JWS with a valid ES256 signature. @throws Error that states the fault. @see RFC 7515 §5.2 */
export function verified(jws: string, { keys }: KeySet, type: string): Fields {
  const read = readCompactJws(jws)
  if (read === undefined) throw new Error('is no compact JWS')
  const { alg, kid, typ, crit } = read.header
  if (alg !== 'ES256' || crit !== undefined) throw new Error('is not signed with ES256')
  if (typ !== type) throw new Error(`is not of type ${type}`)
  const jwk = keys.find((key) => key.kid === kid)
  const key = jwk && verifyingKey(jwk)
  if (key === undefined) throw new Error(`names the key ${String(kid)}, which is not among the given ones`)
  if (!isSigned(read, key)) throw new Error('has a wrong signature')
  return read.payload
}

const HEX_HASH = /^[0-9a-f]{64}$/
export const hashIn = (value: unknown): Buffer | undefined =>
  typeof value === 'string' && HEX_HASH.test(value) ? Buffer.from(value, 'hex') : undefined

interface SignedHead {
  readonly size: number
  readonly root: Buffer
}

/** The tree in a signed head. @throws Error that states the fault */
function headOf(jws: string, keys: KeySet, { iss, domain }: Fields): SignedHead {
  const head = verified(jws, keys, HEAD_TYPE)
  const root = hashIn(head.root)
  if (typeof head.size !== 'number' || root === undefined) throw new Error('names no tree')
  if (head.domain !== domain || head.iss !== iss) throw new Error('is the head of another domain')
  return { size: head.size, root }
}

/** Whether a record's proof leads to the head; `undefined` for a record without proof. */
function isProven({ position, leaf, inclusion }: Fields, head: SignedHead | undefined): boolean | undefined {
  if (inclusion === undefined) return undefined
  const hash = hashIn(leaf)
  const path = Array.isArray(inclusion) ? inclusion.map(hashIn) : [undefined]
  const hashes = path.filter((one) => one !== undefined)
  if (head === undefined || hash === undefined || typeof position !== 'number' || hashes.length < path.length)
    return false
  return provesInclusion({ index: position, leaf: hash, ...head }, hashes)
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'cannot be read')

function checkedEvidence(claims: Fields, keys: KeySet): Omit<PassportCheck, 'isGenuine' | 'claims'> {
  const faults: string[] = []
  const evidence = isObject(claims.evidence) ? claims.evidence : {}
  let head: SignedHead | undefined
  try {
    if (typeof evidence.head === 'string') head = headOf(evidence.head, keys, claims)
  } catch (error) {
    faults.push(`The head of the audit log ${reasonOf(error)}.`)
  }
  const [proven, pending]: [string[], string[]] = [[], []]
  for (const record of Array.isArray(evidence.records) ? evidence.records.filter(isObject) : []) {
    const id = String(record.id)
    const isIn = isProven(record, head)
    if (isIn === undefined) pending.push(id)
    else if (isIn) proven.push(id)
    else faults.push(`The record ${id} is not in the tree of the head.`)
    if (record.altered === true) faults.push(`The record ${id} was altered after it was logged.`)
  }
  return { faults, proven, pending }
}

/**
 * Checks a key passport offline, with only the public keys.
 * @param text the compact JWS, or the JSON answer that contains it
 * @param keys of the domain, from a source other than the passport
 */
export function verifyPassport(text: string, keys: KeySet): PassportCheck {
  try {
    const answer = text.trim()
    const jws = answer.startsWith('{') ? (JSON.parse(answer) as Fields).passport : answer
    if (typeof jws !== 'string') throw new Error('is no compact JWS')
    const claims = verified(jws, keys, TYPE)
    const checked = checkedEvidence(claims, keys)
    return { ...checked, isGenuine: checked.faults.length === 0, claims }
  } catch (error) {
    const faults = [`The passport ${reasonOf(error)}.`]
    return { isGenuine: false, faults, claims: undefined, proven: [], pending: [] }
  }
}
