import { levelsOf } from '../../../levels/endpoints.ts'
import { CRM_ACCESS_LOG } from './access-log.ts'
import { crmEndpoints } from './store.ts'

export const crmLevels = levelsOf({
  protocol: 'crm-keys',
  ...CRM_ACCESS_LOG.levels,
  entity: crmEndpoints,
  action: 'ReadCrmKeyEndpoint',
})
