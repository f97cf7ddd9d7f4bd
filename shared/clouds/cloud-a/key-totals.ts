import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import type { Life } from '../../vault/keys/lists/totals.ts'
import { viewOf, VIEWS } from './keys/key-rules.ts'
import { cloudAKeys } from './keys/store.ts'
import { cloudAKms } from './kms/store.ts'
import { NAME } from './name.ts'

const LIVES: Readonly<Record<string, Life>> = {
  Creating: 'not_yet',
  PendingImport: 'not_yet',
  Enabled: 'in_use',
  Disabled: 'disabled',
  PendingDeletion: 'ending',
  PendingReplicaDeletion: 'ending',
}

/** A hosted key that is blocked is disabled, and one that is not linked is not yet in use. */
export const cloudAKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: cloudAKeys,
  containers: cloudAKms,
  setOf: (kmsId) => `kms:${kmsId}`,
  containerIdOf: ({ kms_id }) => kms_id,
  views: VIEWS,
  viewOf,
  lifeOf: ({ key_state, blocked, linked_state }) => {
    if (linked_state === false) return 'not_yet'
    return blocked === true ? 'disabled' : (LIVES[key_state] ?? 'unknown')
  },
})
