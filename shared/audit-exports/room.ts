import type { RoomRow } from '../base/room.ts'

/** Exports of the audit log, and the credentials for them. */
export const auditExportsRoom: RoomRow = {
  name: 'audit-exports',
  sealed: { 'audit-export': async () => (await import('./store.ts')).sealedExports },
  purge: async () => [(await import('./credentials/store.ts')).credentialsPurge],
  sweeps: async () => (await import('./work.ts')).EXPORT_SWEEPS,
  triggers: async () => (await import('./work.ts')).EXPORT_TRIGGERS,
}
