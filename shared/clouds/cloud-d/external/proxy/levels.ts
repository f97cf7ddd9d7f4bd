import { containerLevels } from '../../../../cloud/containers/levels.ts'
import { vaultKind } from '../../vaults/kind.ts'
import { EXTERNAL_ACCESS_LOG } from './access-log.ts'

/** Vaults of the cloud itself are not served here. */
export const externalLevels = containerLevels(vaultKind, {
  protocol: 'external-vaults',
  ...EXTERNAL_ACCESS_LOG.levels,
  action: 'ReadCloudDVault',
  isServed: ({ linked_state }) => linked_state !== undefined,
})
