import type { RoomRow } from '../base/room.ts'

/** Authorities, their certificates, and registered clients. */
export const certificatesRoom: RoomRow = {
  name: 'certificates',
  keyUser: async () => (await import('./key-user.ts')).caKeyUser,
  inventory: async () => (await import('./inventory.ts')).caInventory,
  certificateTrust: async () => (await import('./trust.ts')).authorityTrust,
  domainAuthorities: async () => ({ plan: (await import('./domains/plan.ts')).planDomainCa }),
  sealed: {
    'registration-token': async () => (await import('./clients/registration-tokens/store.ts')).sealedRegistrationTokens,
  },
  purge: async () => (await import('./purge.ts')).certificatesPurge,
  sweeps: async () => (await import('./sweeps.ts')).CERTIFICATE_SWEEPS,
  contents: async () => [
    {
      noun: 'key',
      done: 'deleted',
      countIn: (await import('./authorities/count-keys.ts')).countAuthorityKeys,
      goWithDomain: true,
    },
  ],
  schedules: [
    {
      trigger: 'keep-trust-store',
      everyMinutes: 1,
      run: async () => (await import('./trust-store/keep.ts')).keepTrustStore,
    },
  ],
}
