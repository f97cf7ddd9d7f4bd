import type { RoomRow } from '../../base/room.ts'
import { removing } from '../../store/remove-some.ts'

export const connectionsRoom: RoomRow = {
  name: 'connections',
  sealed: {
    connection: async () => (await import('./store.ts')).sealedConnections,
    'connection-request': async () => (await import('./requests/store.ts')).sealedConnectionRequests,
  },
  purge: async () => [
    removing((await import('./requests/store.ts')).connectionRequests, 'all'),
    removing((await import('./store.ts')).connections, 'all'),
  ],
  sweeps: async () => (await import('./requests/store.ts')).CONNECTION_SWEEPS,
}
