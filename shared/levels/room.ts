import type { RoomRow } from '../base/room.ts'

/** How fast and how reliably the endpoints of data planes answer. */
export const levelsRoom: RoomRow = {
  name: 'levels',
  keepUses: async () => (await import('./keep.ts')).keepLevels,
  sweeps: async () => (await import('./store.ts')).LEVEL_SWEEPS,
  purge: async () => (await import('./store.ts')).LEVEL_PURGE,
}
