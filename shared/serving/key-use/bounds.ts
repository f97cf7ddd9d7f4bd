import type { Bounds } from '../../base/stale-cache.ts'

/**
 * Blocking, disabling, destroying and the end of a credential take hold everywhere within this time: what tells of them
 * was read at most so long ago when it is relied upon. A warm store reads it again in the background well before.
 */
const STATE = { refreshAfterMs: 2_000, staleAfterMs: 5_000 } as const
/** What does not change is kept longer; its age is bounded so that an instance does not hold for ever what it once opened. */
const MATERIAL = { refreshAfterMs: 5 * 60_000, staleAfterMs: 15 * 60_000 } as const
/** Ours: a store has tens of keys, an instance serves some hundred stores. */
const ENTRIES = 4_096

export const STATE_BOUNDS: Bounds = { ...STATE, entries: ENTRIES }
export const MATERIAL_BOUNDS: Bounds = { ...MATERIAL, entries: ENTRIES }
