import { itemKey, type Key } from '../../store/layout.ts'

/** What a sweeper finds the counter of a version under that is to be followed by a new one. */
export const ROTATE_USED_KEY = 'rotate-used-key'

/**
 * Where the uses of a key version are counted that data planes encrypt with. No entity: it is added to in place, and
 * holds a number that is never below the truth: instances take blocks of uses and may lose the rest of one.
 */
export const usesKey = (domain: string, versionId: string): Key => itemKey(domain, 'xks-uses', versionId)
