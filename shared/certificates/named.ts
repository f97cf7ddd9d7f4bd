import type { Entity, Stored } from '../store/entity.ts'
import { matching } from '../store/list.ts'

/** A name in a form for comparisons, which ignore case and spaces. @see RFC 5280 §7.1 */
const folded = (name: string): string => name.toLowerCase().replaceAll(/\\? /g, '')

/**
 * The authorities of a domain with this subject (text of RFC 4514), for `localCas` and `externalCas`. Reads the rows of
 * their list, 1 MB at a time, and the matching authorities. Some may have a similar subject: the caller checks the
 * signature. Ours: no index by subject, since a domain has few authorities, and every stored row contains the subject,
 * whatever its age.
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
