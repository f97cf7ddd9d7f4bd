import type { RoomRow } from '../base/room.ts'

/** Blocks of keys, endpoints, containers, clouds and domains in an emergency, and drills of them. */
export const emergencyRoom: RoomRow = {
  name: 'emergency',
  keepUses: async () => (await import('./hits.ts')).keepHits,
  purge: async () => (await import('./store.ts')).EMERGENCY_PURGE,
}
