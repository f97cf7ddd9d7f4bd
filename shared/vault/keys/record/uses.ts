import { itemKey, type Key } from '../../../store/layout.ts'

/** Name under which the sweeper finds counters of versions that need a successor. */
export const ROTATE_USED_KEY = 'rotate-used-key'

/**
 * Key of the counter of a version's encryptions in data planes. Not an entity: it is incremented in place. It is an
 * upper bound, since instances lease blocks of uses and may lose the rest of one.
 */
export const usesKey = (domain: string, versionId: string): Key => itemKey(domain, 'xks-uses', versionId)
