import type { RoomRow } from '../base/room.ts'

/** The log of audit records, and its evidence. */
export const auditRoom: RoomRow = {
  name: 'audit',
  sealed: { 'evidence-key': async () => (await import('./evidence/key-store.ts')).sealedEvidenceKeys },
  triggers: async () => (await import('./log-delivery.ts')).LOG_TRIGGERS,
  schedules: [
    {
      trigger: 'drain-outbox',
      everyMinutes: 1,
      forSeconds: 50,
      run: async () => (await import('./log/drain.ts')).measuredDrain,
    },
    { trigger: 'sign-heads', everyMinutes: 1, run: async () => (await import('./evidence/sign-heads.ts')).signHeads },
    {
      trigger: 'check-trees',
      everyMinutes: 10,
      run: async () => (await import('./evidence/check/check-trees.ts')).checkTrees,
    },
  ],
}
