import { cloudKeyTotals } from '../../cloud/keys/totals.ts'
import type { Life } from '../../vault/keys/lists/totals.ts'
import { cloudCKeys } from './keys/store.ts'
import { NAME } from './name.ts'
import { cloudCRings } from './rings/store.ts'

const LIVES: Readonly<Record<string, Life>> = {
  PENDING_GENERATION: 'not_yet',
  PENDING_IMPORT: 'not_yet',
  ENABLED: 'in_use',
  DISABLED: 'disabled',
  DESTROY_SCHEDULED: 'ending',
  DESTROYED: 'ended',
}

/** By the state of the primary version: a key that signs has none. */
export const cloudCKeyTotals = cloudKeyTotals({
  place: NAME,
  keys: cloudCKeys,
  containers: cloudCRings,
  setOf: (ringId) => `ring:${ringId}`,
  containerIdOf: ({ key_ring_id }) => key_ring_id,
  views: ['view'],
  lifeOf: ({ state }) => LIVES[state] ?? 'unknown',
})
