import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import { datacustGroups } from './groups/store.ts'
import { datacustKeys, groupSet } from './keys/store.ts'
import { NAME } from './name.ts'

const LIVES = { AVAILABLE: 'in_use', DISABLED: 'disabled', DELETED: 'ended' } as const

export const datacustKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: datacustKeys,
  containers: datacustGroups,
  setOf: groupSet,
  containerIdOf: ({ cckm_group_id }) => cckm_group_id,
  views: ['view'],
  lifeOf: ({ status }) => LIVES[status],
})
