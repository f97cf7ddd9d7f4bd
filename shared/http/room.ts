import type { RoomRow } from '../base/room.ts'

export const httpRoom: RoomRow = {
  name: 'http',
  sweeps: async () => (await import('./sweeps.ts')).HTTP_SWEEPS,
}
