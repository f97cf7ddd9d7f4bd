import { levelsOf } from '../../levels/endpoints.ts'
import { KACLS_ACCESS_LOG } from './access-log.ts'
import { kaclsEndpoints } from './store.ts'

export const kaclsLevels = levelsOf({
  protocol: 'kacls',
  ...KACLS_ACCESS_LOG.levels,
  entity: kaclsEndpoints,
  action: 'ReadKACLSEndpoint',
})
