import type { RoomRow } from '../base/room.ts'

export const storeRoom: RoomRow = {
  name: 'store',
  sweeps: async () => (await import('./due.ts')).STORE_SWEEPS,
  schedules: [{ trigger: 'sweep-due', everyMinutes: 1, run: async () => (await import('./due.ts')).sweepDue }],
}
