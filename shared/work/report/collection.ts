import { Refusal } from '../../base/errors.ts'
import { Changes } from '../../store/changes.ts'
import type { Lease } from '../../store/lease.ts'
import { advanced } from '../engine/turn.ts'
import { contentRows, type StoredReportPart } from './store.ts'
import { without } from '../../base/fields.ts'
import { ROWS_A_PAGE, ROWS_MOST, type Entry, type EntryPage, type OpenContainer } from './reported.ts'

/** Rows written in one transaction, besides the check of their part. */
const ROWS_TOGETHER = 99
const CUT = `cut off: a report has at most ${ROWS_MOST} rows; let it cover less time`

/** One container of a report: its rows are written under a lease. */
export class Collection {
  readonly #domain: string
  readonly #now: Date
  readonly #source: OpenContainer
  readonly #lease: Lease<StoredReportPart>
  /** The next page, requested while the rows before it are written. */
  #ahead: Promise<EntryPage> | undefined
  /** Entries of the last page: duplicates in a log are close together. */
  #recent: ReadonlySet<string> = new Set()

  constructor(domain: string, now: Date, source: OpenContainer, lease: Lease<StoredReportPart>) {
    this.#domain = domain
    this.#now = now
    this.#source = source
    this.#lease = lease
  }

  /**
   * Writes one page of the source, and records where the next one starts.
   * @param room rows that still fit into the report; a longer page is truncated
   * @throws Stale when another turn has the lease, or the report was deleted
   */
  async page(room: number): Promise<void> {
    const { entries, next } = await this.#next()
    if (next !== undefined) void this.#askFor(next)
    const fresh = this.#fresh(entries)
    const rows = fresh.slice(0, room).map(({ row }) => row)
    const before = this.#lease.item
    const count = before.count + rows.length
    let written = 0
    for (; rows.length - written > ROWS_TOGETHER - 1; written += ROWS_TOGETHER) {
      const changes = new Changes()
      const some = rows.slice(written, written + ROWS_TOGETHER)
      this.#lease.rely(changes)
      contentRows.plan(changes, this.#domain, before.id, before.count + written, some)
      await changes.commit(this.#now)
    }
    await this.#lease.write(
      (part) =>
        advanced({
          ...part,
          ...(next === undefined ? { phase: 'done' } : { cursor: next }),
          ...(fresh.length > room && { phase: 'cut', message: CUT }),
          count,
          reached: Math.max(part.reached, count),
        }),
      (changes) => contentRows.plan(changes, this.#domain, before.id, before.count + written, rows.slice(written)),
    )
  }

  #askFor(cursor: string | undefined): Promise<EntryPage> {
    this.#ahead = this.#source.page(cursor)
    this.#ahead.catch(() => undefined) // the caller that awaits the page gets the error
    return this.#ahead
  }

  /** A cloud forgets a cursor after a day. Then the log is read again from its start, once, over the existing rows. */
  async #next(): Promise<EntryPage> {
    const { cursor, isSecondTry } = this.#lease.item
    const ahead = this.#ahead ?? this.#askFor(cursor)
    this.#ahead = undefined
    try {
      return await ahead
    } catch (error) {
      const isLost = cursor !== undefined && error instanceof Refusal && error.reason === 'CLOUD_INVALID'
      if (!isLost || isSecondTry) throw error
      await this.#lease.write((part) => ({ ...without(part, 'cursor'), count: 0, isSecondTry: true }))
      return this.#source.page(undefined)
    }
  }

  /** Entries that neither this page nor the previous one contained. */
  #fresh(entries: readonly Entry[]): Entry[] {
    const seen = new Set<string>()
    const fresh = entries.filter(({ id }) => {
      const isNew = !seen.has(id) && !this.#recent.has(id)
      seen.add(id)
      return isNew
    })
    this.#recent = seen
    if (entries.length > ROWS_A_PAGE)
      throw new Error(`A page of ${entries.length} entries is longer than was asked for`)
    return fresh
  }
}
