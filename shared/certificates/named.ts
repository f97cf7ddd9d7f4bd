import type { Entity, Stored } from '../store/entity.ts'
import { matching } from '../store/list.ts'

/** A name without what does not count when two are compared: letters' case, spaces. @see RFC 5280 §7.1 */
const folded = (name: string): string => name.toLowerCase().replaceAll(/\\? /g, '')

/**
 * The authorities of a domain with this subject, as text of RFC 4514: for `localCas` and `externalCas`. Reads the rows of their
 * list, 1 MB at a time, and those that match. Some may be of a similar subject: the signature decides.
 * Ours: no index by subject. A domain has few authorities, and every stored row has the subject, whatever its age.
 */
export async function authoritiesOfSubject<T, R extends { readonly subject: string }>(
  entity: Entity<T, R>,
  domain: string,
  subject: string,
): Promise<Stored<T>[]> {
  const wanted = folded(subject)
  const found = await matching(entity, domain, {
    sets: ['all'],
    matches: (row) => folded(row.subject) === wanted,
    narrowBy: 'subject',
  })
  return entity.getMany(
    domain,
    found.map(({ id }) => id),
  )
}
