import type { RoomRow } from '../base/room.ts'

/** Synchronizations, reports, bulk jobs, and scheduled jobs. */
export const workRoom: RoomRow = {
  name: 'work',
  keyUser: async () => (await import('./sagas/key-user.ts')).uploadsUnderWay,
  purge: async () => (await import('./purge.ts')).workPurge(),
  sweeps: async () => (await import('./sweeps.ts')).WORK_SWEEPS,
  triggers: async () => (await import('./triggers.ts')).WORK_TRIGGERS,
  schedules: [
    {
      trigger: 'repair-schedules',
      everyMinutes: 60,
      run: async () => (await import('./schedule/keep-schedule.ts')).removeOrphans,
    },
  ],
}
