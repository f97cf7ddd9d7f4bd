import type { RoomRow } from '../base/room.ts'

/** Service levels: durations, faults and late answers of the endpoints of data planes. */
export const levelsRoom: RoomRow = {
  name: 'levels',
  keepUses: async () => (await import('./keep.ts')).keepLevels,
  applications: async () => (await import('./applications.ts')).findApplications,
  sweeps: async () => (await import('./store.ts')).LEVEL_SWEEPS,
  purge: async () => (await import('./store.ts')).LEVEL_PURGE,
}
