import { pageOf } from '../../store/list.ts'
import { publicName } from '../../vault/keys/record/new-record.ts'
import { localKeys } from '../../vault/keys/store.ts'
import { keyNameOf } from '../authority-key.ts'
import { localCas } from './store.ts'

/** Number of authorities per lookup. */
const A_TIME = 100

/** Names of both keys of the pair, if they exist. */
const namesOf = (authorityId: string): string[] => [keyNameOf(authorityId), publicName(keyNameOf(authorityId))]

/** Number of keys in a domain with which its authorities sign; a pair counts as two. Two reads for each authority. */
export async function countAuthorityKeys(domain: string): Promise<number> {
  let count = 0
  for (let skip = 0; ; skip += A_TIME) {
    const { total, items } = await pageOf(localCas, domain, 'all', { skip, limit: A_TIME })
    const names = items.flatMap(({ item }) => namesOf(item.id))
    const holders = await Promise.all(names.map((name) => localKeys.holder(domain, 'name', name)))
    count += holders.filter((holder) => holder !== undefined).length
    if (skip + A_TIME >= total) return count
  }
}
