import type { RoomRow } from '../base/room.ts'

export const identityRoom: RoomRow = {
  name: 'identity',
  groupDirectory: async () => (await import('./groups/directory.ts')).directory,
  decisions: async () => (await import('./policies/admit.ts')).decideSingle,
  initiators: async () => (await import('./initiators.ts')).initiatorDirectory,
  sealed: {
    'login-connection': async () => (await import('./connections/store.ts')).sealedLoginConnections,
    'signing-key': async () => (await import('./tokens/sealed.ts')).sealedSigningKeys,
  },
  sweeps: async () => (await import('./sweeps.ts')).IDENTITY_SWEEPS,
  triggers: async () => (await import('./triggers.ts')).IDENTITY_TRIGGERS,
  schedules: [{ trigger: 'reseal-keys', everyMinutes: 1, run: async () => (await import('./triggers.ts')).resealKeys }],
}
