import { defineCloud } from '../../cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { RotationParam } from './rotation-param.ts'

export const crm = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  rotation: { param: { field: 'crm_param', schema: () => RotationParam }, byAge: false, byExpiry: true },
  discovery: { byRegion: false },
  connection: async () => (await import('./connections/kind.ts')).crmConnections,
  inventory: async () => (await import('./inventory.ts')).crmInventory,
  keyTotals: async () => (await import('./key-totals.ts')).crmKeyTotals,
  records: async () => (await import('./records.ts')).crmRecords,
  keyUser: async () => (await import('./key-user.ts')).crmKeyUser,
  sealedNames: ['crm-backup', 'crm-session'],
  synchronize: {
    '': async () => (await import('./synchronized.ts')).synchronizedSecrets,
    certificates: async () => (await import('./synchronized.ts')).synchronizedCertificates,
  },
  report: async () => (await import('./reported.ts')).crmReported,
  discover: async () => (await import('./discovered.ts')).crmDiscovered,
  rotate: async () => (await import('./rotated.ts')).crmRotated,
  sagas: async () => (await import('./sagas.ts')).crmSagas,
  sweeps: async () => (await import('./sweeps.ts')).crmSweeps,
})
