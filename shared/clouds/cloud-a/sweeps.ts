import type { SweepRow } from '../../store/due.ts'
import { refreshKeyStore } from './key-stores/get-key-store.ts'
import { keyPurgeSweep } from './kms/purge-keys.ts'

export const CLOUD_A_SWEEPS: readonly SweepRow[] = [
  { due: 'refresh-key-store', counts: 'resumed', work: ({ domain, id }, { now }) => refreshKeyStore(domain, id, now) },
  keyPurgeSweep,
]
