import type { SweepRow } from '../../store/due.ts'
import { refreshKeyStore } from './key-stores/get-key-store.ts'
import { purgeContainer } from './kms/purge-keys.ts'
import { containerPurges } from './kms/purge-store.ts'

export const CLOUD_A_SWEEPS: readonly SweepRow[] = [
  { due: 'refresh-key-store', counts: 'gone_on', work: ({ domain, id }, { now }) => refreshKeyStore(domain, id, now) },
  {
    due: 'purge-container',
    counts: 'purged',
    work: async ({ domain, id }, sweep) => {
      const stored = await containerPurges.get(domain, id)
      if (stored) await purgeContainer(domain, stored, sweep)
    },
  },
]
