import type { RoomRow } from '../../base/room.ts'

export const settingsRoom: RoomRow = {
  name: 'settings',
  purge: async () => (await import('./store.ts')).settingsPurge,
  schedules: [
    { trigger: 'notice-key-expiry', everyMinutes: 60, run: async () => (await import('./notice.ts')).noticeExpiries },
  ],
}
