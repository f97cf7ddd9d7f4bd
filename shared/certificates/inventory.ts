import type { Inventory, UsedCertificate } from '../audit/cbom/inventory.ts'
import { countOf, rowsOf } from '../store/list.ts'
import { localKeys } from '../vault/keys/store.ts'
import { localCas } from './authorities/store.ts'
import { issuedBy, issuedCertificates } from './issued/store.ts'

/** The authorities of a domain, with the number of certificates that each issued. */
async function certificates(domain: string): Promise<UsedCertificate[]> {
  const found: UsedCertificate[] = []
  for await (const page of rowsOf(localCas, domain, 'all'))
    for (const { item } of await localCas.getMany(
      domain,
      page.map(({ id }) => id),
      'leave out',
    )) {
      const { id, name, subject, issuer, notBefore, notAfter, key_id } = item
      const key = (await localKeys.get(domain, key_id))?.item
      found.push({
        name,
        subject,
        issuer: issuer ?? '',
        notBefore,
        notAfter,
        key: key && { algorithm: key.algorithm.toLowerCase(), sizeBits: key.size, curve: key.curveid },
        issued: await countOf(issuedCertificates, domain, issuedBy(id)),
      })
    }
  return found
}

export const caInventory: Inventory = { where: 'ca', certificates }
