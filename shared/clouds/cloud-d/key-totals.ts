import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import type { Life } from '../../vault/keys/lists/totals.ts'
import { cloudDKeys, vaultSet } from './keys/store.ts'
import { NAME } from './name.ts'
import { cloudDVaults } from './vaults/store.ts'

const LIVES: Readonly<Record<string, Life>> = {
  CREATING: 'not_yet',
  ENABLED: 'in_use',
  ENABLING: 'in_use',
  DISABLED: 'disabled',
  DISABLING: 'disabled',
  SCHEDULING_DELETION: 'ending',
  PENDING_DELETION: 'ending',
  DELETING: 'ending',
  DELETED: 'ended',
}

/** A blocked external key counts as disabled. */
export const cloudDKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: cloudDKeys,
  containers: cloudDVaults,
  setOf: vaultSet,
  containerIdOf: ({ vault_resource_id }) => vault_resource_id,
  views: ['view', 'viewhyokkey'],
  viewOf: ({ blocked }) => (blocked === undefined ? 'view' : 'viewhyokkey'),
  lifeOf: ({ lifecycle_state: state, blocked }) => (blocked === true ? 'disabled' : (LIVES[state] ?? 'unknown')),
})
