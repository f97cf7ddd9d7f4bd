import type { Journal } from '../../base/journal.ts'
import type { Lease } from '../../store/lease.ts'
import type { StoredSaga } from './store.ts'

/** The journal of a saga under a lease: every step's result is written before the next step begins. */
export function journalOf(lease: Lease<StoredSaga>, unrecorded: Journal['unrecorded']): Journal {
  const wasTried = lease.item.tries > 1
  return {
    id: lease.item.id,
    unrecorded,
    noted: (name) => lease.item.steps[name],
    step: async <T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T> => {
      if (Object.hasOwn(lease.item.steps, name)) return lease.item.steps[name] as T // recorded by this step
      const result = (wasTried ? await found?.() : undefined) ?? (await work())
      await lease.write({ steps: { ...lease.item.steps, [name]: result } })
      return result
    },
  }
}
