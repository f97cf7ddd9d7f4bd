import { settlingKeys } from '../../cloud/keys/versions/settle-keys.ts'
import type { SweepRow } from '../../store/due.ts'
import { groupPurge } from './groups/purge-group.ts'
import { keyKind } from './keys/kind.ts'
import { SETTLE } from './keys/store.ts'

export const datacustSweeps: readonly SweepRow[] = [groupPurge.sweep, settlingKeys(keyKind, SETTLE)]
