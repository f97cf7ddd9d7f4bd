import type { RoomRow } from '../../base/room.ts'

export const alarmsRoom: RoomRow = {
  name: 'alarms',
  purge: async () => (await import('./store.ts')).ALARM_PURGE,
  sweeps: async () => (await import('./store.ts')).ALARM_SWEEPS,
  schedules: [
    { trigger: 'raise-alarms', everyMinutes: 1, run: async () => (await import('./evaluate.ts')).raiseAlarms },
  ],
}
