import type { RoomRow } from '../base/room.ts'

/** Rules that make calls need the approval of others, and requests for approval. */
export const approvalsRoom: RoomRow = {
  name: 'approvals',
  approvals: async () => (await import('./decide.ts')).approvals,
  keepsGroups: async () => (await import('./decide.ts')).assertGroupFree,
  purge: async () => (await import('./sweeps.ts')).APPROVALS_PURGE,
  triggers: async () => (await import('./triggers.ts')).APPROVAL_TRIGGERS,
  sweeps: async () => (await import('./sweeps.ts')).APPROVAL_SWEEPS,
}
