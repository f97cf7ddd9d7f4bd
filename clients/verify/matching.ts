import { isObject, jsonOf } from '../../shared/base/json.ts'
import type { Line } from './lines.ts'

/** Bytes per position in the list of leaves: the record's id and its leaf. */
export const LEAF_BYTES = 48
const ID_BYTES = 16
/** Ours: up to this many records are searched for one by one; above it, an index is built. */
const SEARCHES_MOST = 8

export type Kind = 'altered' | 'removed' | 'reordered' | 'added'

/** An error of a record. */
export interface Finding {
  readonly kind: Kind
  /** line in the list, if the list contains the record */
  readonly line?: number
  /** in the list of context records */
  readonly isContext?: true
  readonly id?: string
  /** position in the tree */
  readonly position?: number
}

interface Unknown {
  readonly line: number
  readonly id: string | undefined
  readonly isContext: boolean
}

/** The id in a record's bytes, if they are a record. */
function idOf(bytes: Buffer): string | undefined {
  const record = jsonOf(bytes.toString())
  const meta = isObject(record) ? record.meta : undefined
  const id = isObject(meta) ? meta.id : undefined
  return typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined
}

/** Matches the lines of an export with the leaves of the tree. */
export class Matching {
  readonly #leaves: Buffer
  readonly #first: number
  readonly #count: number
  readonly #covered: Uint8Array
  readonly #findings: Finding[] = []
  readonly #unknown: Unknown[] = []
  #searches = 0
  readonly #indexes = new Map<number, ReadonlyMap<string, number>>()

  /** @param first position of the first leaf */
  constructor(leaves: Buffer, first: number) {
    this.#leaves = leaves
    this.#first = first
    this.#count = leaves.length / LEAF_BYTES
    this.#covered = new Uint8Array(this.#count)
  }

  /** Starts a list, whose lines must follow in order. @returns a function that receives a line */
  list(isContext: boolean): (line: Line) => void {
    let next = 0
    return (line) => {
      const at = next * LEAF_BYTES
      const isNext = next < this.#count && line.leaf.compare(this.#leaves, at + ID_BYTES, at + LEAF_BYTES) === 0
      if (isNext && this.#covered[next] === 0) {
        this.#covered[next++] = 1
        return
      }
      const found = this.#find(line.leaf, ID_BYTES, next)
      if (found === undefined) {
        this.#unknown.push({ line: line.number, id: idOf(line.bytes), isContext })
        return
      }
      if (this.#covered[found] === 1) this.#add('added', line.number, isContext, found)
      else if (found < next) this.#add('reordered', line.number, isContext, found)
      this.#covered[found] = 1
      next = Math.max(next, found + 1)
    }
  }

  /**
   * @param mayBeGone whether the retention of the record with this id may have ended
   * @returns all errors, and the number of deleted records
   */
  findings(mayBeGone: (id: string) => boolean): { findings: readonly Finding[]; gone: number } {
    for (const { line, id, isContext } of this.#unknown) {
      const found = id === undefined ? undefined : this.#find(Buffer.from(id.replaceAll('-', ''), 'hex'), 0)
      if (found !== undefined && this.#covered[found] === 0) {
        this.#covered[found] = 1
        this.#add('altered', line, isContext, found)
      } else
        this.#findings.push({ kind: 'added', line, ...(isContext && { isContext }), ...(id !== undefined && { id }) })
    }
    let gone = 0
    for (let at = this.#covered.indexOf(0); at !== -1; at = this.#covered.indexOf(0, at + 1)) {
      const id = this.#idAt(at)
      if (mayBeGone(id)) gone++
      else this.#findings.push({ kind: 'removed', position: this.#first + at, id })
    }
    return { findings: this.#findings, gone }
  }

  #add(kind: Kind, line: number, isContext: boolean, at: number): void {
    const position = this.#first + at
    this.#findings.push({ kind, line, ...(isContext && { isContext }), id: this.#idAt(at), position })
  }

  #idAt(at: number): string {
    const hex = this.#leaves.toString('hex', at * LEAF_BYTES, at * LEAF_BYTES + ID_BYTES)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /**
   * Number of the leaf with these bytes at an offset, most likely at or after `near`: a few are searched for, more are looked up,
   * so that the work grows with the list and not with its square.
   */
  #find(bytes: Buffer, offset: number, near = 0): number | undefined {
    if (this.#searches++ < SEARCHES_MOST) return this.#place(bytes, offset, near) ?? this.#place(bytes, offset)
    const index = this.#indexes.get(offset) ?? this.#indexed(offset, bytes.length)
    this.#indexes.set(offset, index)
    return index.get(bytes.toString('latin1'))
  }

  /** Number of the leaf with these bytes at an offset. */
  #place(bytes: Buffer, offset: number, near = 0): number | undefined {
    let at = this.#leaves.indexOf(bytes, near * LEAF_BYTES)
    while (at !== -1 && at % LEAF_BYTES !== offset) at = this.#leaves.indexOf(bytes, at + 1)
    return at === -1 ? undefined : (at - offset) / LEAF_BYTES
  }

  #indexed(offset: number, length: number): Map<string, number> {
    const index = new Map<string, number>()
    for (let at = this.#count - 1; at >= 0; at--) {
      const start = at * LEAF_BYTES + offset
      index.set(this.#leaves.toString('latin1', start, start + length), at) // the first of equal ones
    }
    return index
  }
}
