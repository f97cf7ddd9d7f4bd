import * as z from 'zod'
import { defineCloud } from '../../cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { strictObject } from '../../base/lazy-fields.ts'

export const cloudB = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  syncItems: { key: '', secret: 'secrets', certificate: 'certificates' },
  rotation: { byAge: true, byExpiry: true },
  discovery: { byRegion: true },
  connection: async () => (await import('./connections/kind.ts')).cloudBConnections,
  inventory: async () => (await import('./inventory.ts')).cloudBInventory,
  keyTotals: async () => (await import('./key-totals.ts')).cloudBKeyTotals,
  expiring: async () => (await import('./expiring.ts')).cloudBExpiring,
  records: async () => (await import('./records.ts')).cloudBRecords,
  keyUser: async () => (await import('./key-user.ts')).cloudBKeyUser,
  synchronize: {
    '': async () => (await import('./synchronized.ts')).synchronizedKeys,
    secrets: async () => (await import('./synchronized.ts')).synchronizedSecrets,
    certificates: async () => (await import('./synchronized.ts')).synchronizedCertificates,
  },
  report: async () => (await import('./reported.ts')).cloudBReported,
  discover: async () => (await import('./discovered.ts')).cloudBDiscovered,
  rotate: async () => (await import('./rotated.ts')).cloudBRotated,
  sealedNames: ['cloud-b-backup'],
  sagas: async () => (await import('./sagas.ts')).cloudBSagas,
  sweeps: async () => [
    (await import('./vaults/purge-vault.ts')).vaultPurge.sweep,
    (await import('./vaults/rotation-job.ts')).vaultAlignment.sweep,
    ...(await import('./sweeps.ts')).forgottenItems,
  ],
  bulk: async () => (await import('./bulk.ts')).CLOUD_B_BULK,
  jobOperations: [
    {
      name: 'key-backup',
      description: 'Takes a backup of each of the keys that joined the configuration.',
      summary: 'Create Cloud-b Key Backup',
      single: { action: 'CreateCloudBKeyBackup', may: 'keymgr-users' },
      params: { field: 'key_backup_params', schema: () => strictObject(() => ({ cloud_name: z.enum([NAME]) })) },
      load: async () => (await import('./backups/backup-job.ts')).keyBackup,
    },
  ],
})
