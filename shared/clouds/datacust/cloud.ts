import { defineCloud } from '../../cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

export const datacust = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  rotation: { byAge: false, byExpiry: true },
  discovery: { byRegion: false },
  connection: async () => (await import('./connections/kind.ts')).datacustConnections,
  inventory: async () => (await import('./inventory.ts')).datacustInventory,
  keyTotals: async () => (await import('./key-totals.ts')).datacustKeyTotals,
  records: async () => (await import('./records.ts')).datacustRecords,
  keyUser: async () => (await import('./key-user.ts')).datacustKeyUser,
  synchronize: { '': async () => (await import('./synchronized.ts')).datacustSynchronized },
  report: async () => (await import('./reported.ts')).datacustReported,
  discover: async () => (await import('./discovered.ts')).datacustDiscovered,
  rotate: async () => (await import('./rotated.ts')).datacustRotated,
  bulk: async () => (await import('./keys/jobs.ts')).DATACUST_BULK,
  sagas: async () => (await import('./sagas.ts')).datacustSagas,
  sweeps: async () => (await import('./sweeps.ts')).datacustSweeps,
})
