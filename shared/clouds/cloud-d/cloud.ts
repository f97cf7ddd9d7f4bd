import { defineCloud } from '../../cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

export const cloudD = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  rotation: { byAge: false, byExpiry: true },
  discovery: { byRegion: true },
  connection: async () => (await import('./connections/kind.ts')).cloudDConnections,
  inventory: async () => (await import('./inventory.ts')).cloudDInventory,
  keyTotals: async () => (await import('./key-totals.ts')).cloudDKeyTotals,
  records: async () => (await import('./records.ts')).cloudDRecords,
  keyUser: async () => (await import('./key-user.ts')).cloudDKeyUser,
  sealedNames: ['cloud-d-issuer'],
  synchronize: { '': async () => (await import('./synchronized.ts')).cloudDSynchronized },
  report: async () => (await import('./reported.ts')).cloudDReported,
  discover: async () => (await import('./discovered.ts')).cloudDDiscovered,
  rotate: async () => (await import('./rotated.ts')).cloudDRotated,
  sagas: async () => (await import('./sagas.ts')).cloudDSagas,
  sweeps: async () => (await import('./sweeps.ts')).cloudDSweeps,
})
