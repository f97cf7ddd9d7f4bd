import type { RoomRow } from '../base/room.ts'

export const vaultRoom: RoomRow = {
  name: 'vault',
  sealed: {
    'local-key latest': async () => (await import('./keys/material/sealed.ts')).sealedKeys('latest'),
    'local-key former': async () => (await import('./keys/material/sealed.ts')).sealedKeys('former'),
    'secret latest': async () => (await import('./secrets/store.ts')).sealedSecrets('latest'),
    'secret former': async () => (await import('./secrets/store.ts')).sealedSecrets('former'),
  },
  purge: async () => (await import('./purge.ts')).vaultPurge,
  sweeps: async () => (await import('./keys/sweeps.ts')).VAULT_SWEEPS,
  dependents: {
    'local-key': async () => (await import('./keys/lifecycle/in-use.ts')).dependentsOfKeys,
  },
  inspect: async () => (await import('./inspect/exported-key.ts')).exportedKeys,
  keyTotals: async () => (await import('./keys/lists/totals.ts')).localKeyTotals,
  inventory: async () => (await import('./keys/lists/inventory.ts')).vaultInventory,
  blockableKey: async () => (await import('./keys/lists/blockable-key.ts')).findBlockableKey,
  contents: async () => [
    { noun: 'key', done: 'deleted', countIn: (await import('./keys/lists/count.ts')).countKeys },
    { noun: 'secret', done: 'deleted', countIn: (await import('./secrets/count.ts')).countSecrets },
  ],
}
