import { numberedKey } from '../../store/layout.ts'
import { numbered, type NumberedRow } from '../../store/numbered.ts'
import { putNew } from '../../store/table.ts'
import { logOf } from './store.ts'

/** A signed head of a domain's tree. */
export interface Head {
  readonly size: number
  /** hex */
  readonly root: string
  /** signing time, RFC 3339; never before that of the previous head */
  readonly at: string
  /** compact JWS of all these values */
  readonly jws: string
}

const LIST = 'heads'
const KIND = 'audit-head'
const rows = numbered(KIND)

/** not validated: only this file writes them */
const headIn = ({ size, root, at, jws }: NumberedRow): Head => ({
  size: Number(size),
  root: String(root),
  at: String(at),
  jws: String(jws),
})

/** Stores the head of number `n`, from 0, permanently. @returns `false` if that number exists */
export async function putHead(domain: string, n: number, { size, root, at, jws }: Head): Promise<boolean> {
  const { pk, sk } = numberedKey(domain, KIND, LIST, n)
  const row: NumberedRow = { size: String(size), root, at, jws }
  return putNew({ pk: { S: pk }, sk: { S: sk }, row: { S: JSON.stringify(row) } })
}

/** Heads by number, from `first` (inclusive) to `end` (exclusive). */
export const headsByNumber = async (domain: string, first: number, end: number): Promise<Head[]> =>
  (await rows.slice(domain, LIST, first, end)).map(headIn)

/** One head by its number. */
export async function headNumbered(domain: string, n: number): Promise<Head | undefined> {
  const [row] = await rows.pick(domain, LIST, [n])
  return row && headIn(row)
}

/**
 * Number of the first of `count` heads for which `reaches` holds; `count` if it holds for none. It must hold for all
 * later heads too.
 */
export async function firstHead(domain: string, count: number, reaches: (head: Head) => boolean): Promise<number> {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const head = await headNumbered(domain, middle)
    if (head !== undefined && !reaches(head)) low = middle + 1
    else high = middle
  }
  return low
}

/** At most `most` signed heads of trees with a size from `from` to `to`, oldest first. */
export async function headsBetween(domain: string, from: number, to: number, most: number): Promise<Head[]> {
  const count = (await logOf(domain))?.item.heads ?? 0
  const first = await firstHead(domain, count, ({ size }) => size >= from)
  const heads = await headsByNumber(domain, first, Math.min(count, first + most))
  return heads.filter(({ size }) => size <= to)
}

/** The newest signed head; `undefined` before the first. Two reads. */
export async function newestHead(domain: string): Promise<Head | undefined> {
  const count = (await logOf(domain))?.item.heads ?? 0
  return count === 0 ? undefined : headNumbered(domain, count - 1)
}
