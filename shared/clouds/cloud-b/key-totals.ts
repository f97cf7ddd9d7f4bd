import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import { VIEW } from './items/item.ts'
import { cloudBKeys, type CloudBKeyRow } from './keys/store.ts'
import { NAME } from './name.ts'
import { cloudBVaults } from './vaults/store.ts'

const LIVES = { 'SOFT-DELETED': 'ending', DELETED: 'ended' } as const

const lifeOf = ({ is_latest, status, enabled }: CloudBKeyRow) => {
  if (!is_latest) return undefined
  return status === 'ACTIVE' ? (enabled ? 'in_use' : 'disabled') : LIVES[status]
}

/** Each key is counted once, by its latest version. */
export const cloudBKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: cloudBKeys,
  containers: cloudBVaults,
  setOf: (vaultId) => `vault:${vaultId}`,
  containerIdOf: ({ key_vault_id }) => key_vault_id,
  views: [VIEW],
  lifeOf,
})
