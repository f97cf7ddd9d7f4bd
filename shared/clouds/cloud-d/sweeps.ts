import type { SweepRow } from '../../store/due.ts'
import { settlingKeys } from '../../cloud/keys/versions/settle-keys.ts'
import { followingSweep } from './external/follow.ts'
import { keyKind } from './keys/kind.ts'
import { SETTLE } from './keys/store.ts'
import { vaultPurge } from './vaults/purge-vault.ts'

export const cloudDSweeps: readonly SweepRow[] = [vaultPurge.sweep, followingSweep, settlingKeys(keyKind, SETTLE)]
