import type { UsedItem } from '../../store/layout.ts'

/** The kind of local keys in the table. */
export const LOCAL_KEY = 'local-key'

/** A version of a local key, as families of its users name it: each use that begins changes the revision. */
export const usedVersion = (id: string): UsedItem => ({ entity: LOCAL_KEY, id })

/** The same for a use that cannot begin once the version was deleted. */
export const requiredVersion = (id: string): UsedItem => ({ ...usedVersion(id), required: true })
