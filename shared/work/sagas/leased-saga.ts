import type { Journal } from '../../base/journal.ts'
import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { HOUR_MS, later, MINUTE_MS } from '../../base/time.ts'
import { Stale, type Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { Held } from '../engine/held.ts'
import { isOfCredentials } from '../engine/passing.ts'
import { sagas, type StoredSaga } from './store.ts'

/** Ours: the first try again after a minute, then after twice as long each time, up to an hour. */
const LONGEST_WAIT_MS = HOUR_MS

/** A run lost its lease: another run has the saga, which this run must neither end nor record. */
class Lost extends Refusal {
  constructor() {
    super('STATE_CONFLICT', 'Somebody else went on with this work meanwhile; read the key again.')
  }
}
/** A saga under the lease of this instance: every write relies on its revision. */
export class LeasedSaga extends Held<StoredSaga> {
  readonly #now: Date
  readonly #wasRunBefore: boolean
  #isForgotten = false

  constructor(stored: Stored<StoredSaga>, now: Date) {
    super(sagas, stored.item.initiator.domain.id, stored, now)
    this.#now = now
    this.#wasRunBefore = stored.item.runs > 1
  }

  /** Whether it was undone and removed. */
  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Commits `changes`, and with them the end of the saga. @throws Stale when another instance took it over */
  async forget(changes: Changes): Promise<void> {
    changes.remove(sagas, this.item.initiator.domain.id, this.stored)
    await changes.commit(this.#now)
    this.#isForgotten = true
  }

  /** @throws Lost when another instance took it over */
  override async write(change: Partial<StoredSaga>): Promise<void> {
    try {
      await super.write(change)
    } catch (error) {
      throw error instanceof Stale ? new Lost() : error
    }
  }

  journal(unrecorded: Journal['unrecorded']): Journal {
    return {
      id: this.item.id,
      unrecorded,
      noted: (name) => this.item.steps[name],
      step: async <T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T> => {
        if (Object.hasOwn(this.item.steps, name)) return this.item.steps[name] as T // the answer of this very step
        const before = this.#wasRunBefore ? await found?.() : undefined
        const result = before ?? (await work())
        await this.write({ steps: { ...this.item.steps, [name]: result } })
        return result
      },
    }
  }
}

/** Leases a saga to this instance. */
export const leaseFor = (now: Date, ms: number): Pick<StoredSaga, 'leaseUntil' | 'dueAt'> => {
  const until = later(now, ms).toISOString()
  return { leaseUntil: until, dueAt: until }
}
const waitMs = ({ runs }: StoredSaga): number => Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** Math.max(0, runs - 1))

/** Releases the lease: the saga is due again later, and the same request may take it up at once. */
export async function releaseLease(held: LeasedSaga, now: Date, cause: unknown): Promise<void> {
  const dueAt = later(now, waitMs(held.item)).toISOString()
  const waits = isOfCredentials(cause) ? cause.message : undefined
  await held.write({ leaseUntil: now.toISOString(), dueAt, waits }).catch((error: unknown) => {
    log('warn', 'the lease of a saga was not released', { saga: held.item.id, ...errorFields(error) })
  })
}
