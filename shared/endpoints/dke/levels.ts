import { levelsOf } from '../../levels/endpoints.ts'
import { DKE_ACCESS_LOG } from './access-log.ts'
import { dkeEndpoints } from './store.ts'

export const dkeLevels = levelsOf({
  protocol: 'dke',
  ...DKE_ACCESS_LOG.levels,
  entity: dkeEndpoints,
  action: 'ReadDKEEndpoint',
})
