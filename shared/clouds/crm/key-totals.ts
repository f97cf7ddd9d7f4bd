import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import type { Life } from '../../vault/keys/lists/totals.ts'
import { crmSecrets, secretSet } from './keys/store.ts'
import { NAME } from './name.ts'
import { crmOrganizations } from './organizations/store.ts'

const LIVES: Readonly<Record<string, Life>> = { ACTIVE: 'in_use', ARCHIVED: 'disabled', DESTROYED: 'ended' }

export const crmKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: crmSecrets,
  containers: crmOrganizations,
  setOf: secretSet,
  containerIdOf: ({ organization_id }) => organization_id,
  views: ['view'],
  lifeOf: ({ status }) => LIVES[status] ?? 'unknown',
})
