import { containerLevels } from '../../cloud/containers/levels.ts'
import { DATACUST_ACCESS_LOG } from './access-log.ts'
import { keystoreKind } from './stores/kind.ts'

export const datacustLevels = containerLevels(keystoreKind, {
  protocol: 'datacust-ekm',
  ...DATACUST_ACCESS_LOG.levels,
  action: 'ReadDatacustKeystore',
  isServed: () => true,
})
