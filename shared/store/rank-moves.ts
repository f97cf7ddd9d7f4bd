import {
  countsOf,
  forgetRank,
  noteAdditions,
  rankWrite,
  readRank,
  steadyWrites,
  type Rank,
  type RankChange,
} from './rank.ts'
import type { Write } from './table.ts'

interface RankMove {
  readonly domain: string
  readonly entity: string
  readonly changes: RankChange[]
  /** the counts that the changes rely on */
  seen?: Rank
}

/** A write of list counts. `isSteady`: it relies on counts that were read; any other is made again when it fails. */
interface PlannedRank {
  readonly write: Write
  readonly isSteady: boolean
}

/** The list rows that a transaction adds and removes, by kind of item, and the counts that it relies on. */
export class RankMoves {
  readonly #moves = new Map<string, RankMove>()

  get isEmpty(): boolean {
    return this.#moves.size === 0
  }

  add(domain: string, entity: string, changes: readonly RankChange[]): void {
    this.#of(domain, entity).changes.push(...changes)
  }

  /** The number of items in a set, on the condition that it is unchanged at the commit. */
  async count(domain: string, entity: string, set: string): Promise<number> {
    const move = this.#of(domain, entity)
    move.seen ??= await readRank(domain, entity)
    return countsOf(move.seen, set).reduce((sum, count) => sum + count, 0)
  }

  async writes(now: Date): Promise<PlannedRank[]> {
    const planned = await Promise.all(
      [...this.#moves.values()].map(async ({ domain, entity, changes, seen }): Promise<PlannedRank[]> => {
        if (seen) return steadyWrites(domain, entity, seen, changes, now).map((write) => ({ write, isSteady: true }))
        const write = await rankWrite(domain, entity, changes, now)
        return write === undefined ? [] : [{ write, isSteady: false }]
      }),
    )
    return planned.flat()
  }

  /** Drops the cached directories, after counts have failed. */
  forget(): void {
    for (const { domain, entity } of this.#moves.values()) forgetRank(domain, entity)
  }

  /** Called after the commit. If tidying fails, the sweeper does it. */
  async noteAdditions(): Promise<void> {
    for (const { domain, entity, changes } of this.#moves.values())
      await noteAdditions(domain, entity, changes.filter(({ by }) => by === 1).length).catch(() => undefined)
  }

  #of(domain: string, entity: string): RankMove {
    const partition = `${domain}#${entity}`
    const known = this.#moves.get(partition)
    if (known) return known
    const move: RankMove = { domain, entity, changes: [] }
    this.#moves.set(partition, move)
    return move
  }
}
