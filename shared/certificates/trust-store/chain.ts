import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { isSignedBy, readCertificate } from '../../crypto/x509/certificate.ts'
import { localCas } from '../authorities/store.ts'
import { externalCas } from '../external/store.ts'
import { authoritiesOfSubject } from '../named.ts'

/** Ours: maximum length of a chain of authorities. */
const CHAIN_MOST = 8

/** The certificates of an external authority and of its parents, nearest first. */
async function chainFrom(domain: string, id: string | undefined, length: number): Promise<string[]> {
  const found = id === undefined || length >= CHAIN_MOST ? undefined : await externalCas.get(domain, id)
  if (found === undefined) return []
  return [found.item.cert, ...(await chainFrom(domain, found.item.parent_id, length + 1))]
}

/**
 * Extends a chain of certificates, nearest first, with the parents of its last one in the root domain: local
 * authorities of the root domain sign those of other domains.
 */
export async function continued(chain: readonly string[]): Promise<string[]> {
  const last = chain.at(-1)
  if (last === undefined || chain.length >= CHAIN_MOST) return [...chain]
  const { subject, issuer } = readCertificate(last)
  if (subject === issuer) return [...chain]
  const candidates = await authoritiesOfSubject(localCas, ROOT_DOMAIN_ID, issuer)
  const parent = candidates.find(({ item: { cert } }) => cert !== undefined && isSignedBy(last, cert))?.item
  if (parent?.cert === undefined) return [...chain]
  const above = await chainFrom(ROOT_DOMAIN_ID, parent.parent_id, chain.length + 1)
  return continued([...chain, parent.cert, ...above])
}

/** The certificate of an authority and of all its known parents, nearest first. */
export const chainOf = async (domain: string, cert: string, parentId: string | undefined): Promise<string[]> =>
  continued([cert, ...(await chainFrom(domain, parentId, 1))])
