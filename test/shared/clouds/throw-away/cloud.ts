import { defineCloud } from '../../../../shared/cloud/cloud-row.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

/** The row of the throw-away cloud, written exactly as `docs/contributing/a-new-cloud.md` describes. */
export const throwAway = defineCloud({
  name: NAME,
  containerList: CONTAINER_LIST,
  rotation: { byAge: true, byExpiry: false },
  connection: async () => (await import('./connections.ts')).throwAwayConnections,
  records: async () => (await import('./rows.ts')).throwAwayRecords,
  synchronize: { '': async () => (await import('./rows.ts')).throwAwaySynchronized },
  rotate: async () => (await import('./rows.ts')).throwAwayRotated,
  sagas: async () => (await import('./rows.ts')).throwAwaySagas,
})
