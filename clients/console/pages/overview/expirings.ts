import { useQueries } from '@tanstack/preact-query'
import type { Expirings, PlaceRow } from '../../clouds/row.ts'

/** Number of days for which the overview shows expiries. */
export const DAYS = 90
const DAY_MS = 86_400_000
export const NO_EXPIRINGS: Expirings = { items: [], total: 0 }

/** The first moment of this day, in UTC. */
export const startOfDay = (): number => Math.floor(Date.now() / DAY_MS) * DAY_MS

/** Keys that expire in the next 90 days, by place. Parts of the overview share these queries. */
export function useExpirings(places: readonly PlaceRow[]) {
  const before = new Date(startOfDay() + (DAYS + 1) * DAY_MS).toISOString()
  return useQueries({
    queries: places.map(({ name, keys }) => ({
      queryKey: ['expiring', name, before],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await keys.expiring?.(before, signal)) ?? NO_EXPIRINGS,
    })),
  })
}
