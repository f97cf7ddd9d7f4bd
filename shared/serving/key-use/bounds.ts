import type { Bounds } from '../../base/stale-cache.ts'

/**
 * Blocking, disabling, destroying and the end of a credential take effect everywhere within this time: no call relies
 * on an older read of the state. A warm instance reads it again in the background well before.
 */
const STATE = { refreshAfterMs: 2_000, staleAfterMs: 5_000 } as const
/** Immutable data is cached longer. Its age is bounded, so that an instance does not keep an opened key forever. */
const MATERIAL = { refreshAfterMs: 5 * 60_000, staleAfterMs: 15 * 60_000 } as const
/** Ours: a store has tens of keys, an instance serves some hundred stores. */
const ENTRIES = 4_096

export const STATE_BOUNDS: Bounds = { ...STATE, entries: ENTRIES }
export const MATERIAL_BOUNDS: Bounds = { ...MATERIAL, entries: ENTRIES }
