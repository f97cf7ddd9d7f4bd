import { entity } from '../../store/entity.ts'
import { requiredVersion } from '../keys/used-version.ts'
import { KeyLink } from './model.ts'

const leadingTo = (keyId: string): string => `to:${keyId}`

/**
 * Reads served: a link by id; all of a domain; those that refer to a key. The record of its source also shows each
 * link.
 */
export const keyLinks = entity({
  name: 'key-link',
  schema: KeyLink,
  id: ({ id }) => id,
  unique: ({ type, source, target }) => ({ link: [`${type} ${source} ${target}`] }),
  sets: () => ['all'],
  families: ({ id, target }) => [{ name: leadingTo(target), key: id, uses: requiredVersion(target) }],
  row: ({ id, type, source, target, createdAt, updatedAt }) => ({ id, type, source, target, createdAt, updatedAt }),
})

/** Ids of the links that refer to a version of a key. One read. */
export const linksTo = (domain: string, keyId: string): Promise<string[]> => keyLinks.members(domain, leadingTo(keyId))
