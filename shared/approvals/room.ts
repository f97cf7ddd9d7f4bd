import type { RoomRow } from '../base/room.ts'

/** Rules on which calls take the approval of others, and the requests for it. */
export const approvalsRoom: RoomRow = {
  name: 'approvals',
  approvals: async () => (await import('./decide.ts')).approvals,
  keepsGroups: async () => (await import('./decide.ts')).assertGroupFree,
  purge: async () => (await import('./sweeps.ts')).APPROVALS_PURGE,
  triggers: async () => (await import('./triggers.ts')).APPROVAL_TRIGGERS,
  sweeps: async () => (await import('./sweeps.ts')).APPROVAL_SWEEPS,
}
