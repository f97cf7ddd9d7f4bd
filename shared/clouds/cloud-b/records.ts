import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { cloudBKeys } from './keys/store.ts'
import { countOf } from '../../store/list.ts'
import { removing } from '../../store/remove-some.ts'
import { sealedBackups } from './backups/store.ts'
import { cloudBSubscriptions } from './subscriptions/store.ts'
import { VAULT_ITEMS, vaultPurges } from './vaults/purge-vault.ts'
import { vaultAlignments } from './vaults/rotation-job.ts'
import { cloudBVaults } from './vaults/store.ts'

export const cloudBRecords: CloudRecords = {
  containers: [containerRecords(cloudBVaults, 'removing vaults')],
  sealed: { 'cloud-b-backup': sealedBackups },
  countKeys: (domain) => countOf(cloudBKeys, domain, 'all'),
  purge: [
    ...VAULT_ITEMS.map(({ removeAll }) => removeAll),
    removing(vaultPurges, 'all'),
    removing(vaultAlignments, 'all'),
    removing(cloudBVaults, 'all'),
    removing(cloudBSubscriptions, 'all'),
  ],
}
