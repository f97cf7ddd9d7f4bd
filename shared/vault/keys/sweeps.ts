import type { SweepRow } from '../../store/due.ts'
import { keyAsOf } from './lifecycle/key-state.ts'
import { moveRecord } from './lifecycle/move-record.ts'
import { rotateUsedKey } from './lifecycle/rotate-used-key.ts'
import { localKeys } from './store.ts'
import { ROTATE_USED_KEY } from './record/uses.ts'

export const VAULT_SWEEPS: readonly SweepRow[] = [
  {
    due: 'move-key-state',
    counts: 'moved',
    work: async ({ domain, id }, { now }) => {
      const stored = await localKeys.get(domain, id)
      if (stored && keyAsOf(stored.item, now) !== stored.item) await moveRecord(domain, stored, now)
    },
  },
  { due: ROTATE_USED_KEY, counts: 'rotated', work: ({ domain, id }, { now }) => rotateUsedKey(domain, id, now) },
]
