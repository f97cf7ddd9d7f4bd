import * as z from 'zod'
import { defineCloud } from '../../cloud/cloud-row.ts'
import { RoleArn } from './role-arn.ts'
import { RotationParam } from './rotation-param.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { strictObject } from '../../base/lazy-fields.ts'

export const cloudA = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  prefixes: ['/v1/keymgr/virtual'],
  takesRuntimeRole: true,
  rotation: { param: { field: 'cloud_a_param', schema: () => RotationParam }, byAge: true, byExpiry: true },
  discovery: { byRegion: true, role: () => RoleArn },
  connection: async () => (await import('./connections/kind.ts')).cloudAConnections,
  inventory: async () => (await import('./inventory.ts')).cloudAInventory,
  keyTotals: async () => (await import('./key-totals.ts')).cloudAKeyTotals,
  expiring: async () => (await import('./expiring.ts')).cloudAExpiring,
  records: async () => (await import('./records.ts')).cloudARecords,
  keyUser: async () => (await import('./key-user.ts')).cloudAKeyUser,
  sealedNames: ['custom-key-store'],
  synchronize: {
    '': async () => (await import('./synchronized.ts')).cloudASynchronized,
    'key-stores': async () => (await import('./key-stores/synchronized-stores.ts')).keyStoresSynchronized,
  },
  report: async () => (await import('./reported.ts')).cloudAReported,
  discover: async () => (await import('./discovered.ts')).cloudADiscovered,
  rotate: async () => (await import('./rotated.ts')).cloudARotated,
  sagas: async () => (await import('./sagas.ts')).cloudASagas,
  sweeps: async () => (await import('./sweeps.ts')).CLOUD_A_SWEEPS,
  bulk: async () => (await import('./bulk.ts')).CLOUD_A_BULK,
  jobOperations: [
    {
      name: 'keymgr_xks_credential_rotation',
      description: 'Gives the key stores that joined the configuration a new credential each.',
      summary: 'Rotate Key Store Credential',
      single: { action: 'RotateCloudACustomKeyStoreCredential', may: 'keymgr-users' },
      params: {
        field: 'keymgr_xks_credential_rotation_params',
        schema: () => strictObject(() => ({ cloud_name: z.enum([NAME]) })),
      },
      load: async () => (await import('./job-operations.ts')).credentialRotation,
    },
  ],
})
