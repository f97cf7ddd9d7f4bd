import { defineCloud } from '../../cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

export const cloudC = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  rotation: { byAge: false, byExpiry: false },
  discovery: { byRegion: true },
  connection: async () => (await import('./connections/kind.ts')).cloudCConnections,
  inventory: async () => (await import('./inventory.ts')).cloudCInventory,
  keyTotals: async () => (await import('./key-totals.ts')).cloudCKeyTotals,
  records: async () => (await import('./records.ts')).cloudCRecords,
  keyUser: async () => (await import('./key-user.ts')).cloudCKeyUser,
  synchronize: { '': async () => (await import('./synchronized.ts')).cloudCSynchronized },
  report: async () => (await import('./reported.ts')).cloudCReported,
  discover: async () => (await import('./discovered.ts')).cloudCDiscovered,
  rotate: async () => (await import('./rotated.ts')).cloudCRotated,
  sagas: async () => (await import('./sagas.ts')).cloudCSagas,
  sweeps: async () => [(await import('./rings/purge-ring.ts')).ringPurge.sweep],
  bulk: async () => (await import('./bulk.ts')).VERSIONS_BULK,
})
