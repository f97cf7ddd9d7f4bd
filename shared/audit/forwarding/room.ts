import type { RoomRow } from '../../base/room.ts'

/** Log forwarders, their connections and their progress. */
export const forwardingRoom: RoomRow = {
  name: 'forwarding',
  sealed: { 'log-forwarder': async () => (await import('./forwarders/store.ts')).sealedLogForwarders },
  purge: async () => (await import('./forwarders/store.ts')).FORWARDING_PURGE,
  connectionUsers: async () => [(await import('./connection-user.ts')).forwardersUsing],
  schedules: [
    { trigger: 'forward-logs', everyMinutes: 1, run: async () => (await import('./deliver/forward.ts')).forwardLogs },
  ],
}
