import { levelsOf } from '../../levels/endpoints.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { ekmEndpoints } from './store.ts'

export const ekmLevels = levelsOf({
  protocol: 'ekm',
  ...EKM_ACCESS_LOG.levels,
  entity: ekmEndpoints,
  action: 'ReadEKMEndpoint',
})
