import type { SweepRow } from '../../store/due.ts'
import { purgeRing } from './rings/purge-ring.ts'
import { ringPurges } from './rings/purge-store.ts'

export const CLOUD_C_SWEEPS: readonly SweepRow[] = [
  {
    due: 'purge-ring',
    counts: 'purged',
    work: async ({ domain, id }, sweep) => {
      const stored = await ringPurges.get(domain, id)
      if (stored) await purgeRing(domain, stored, sweep)
    },
  },
]
