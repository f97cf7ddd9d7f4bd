import { pageOf } from '../../store/list.ts'
import { localKeys } from './store.ts'

/** Keys of a domain; their former versions are not counted. */
export const countKeys = async (domain: string): Promise<number> =>
  (await pageOf(localKeys, domain, 'latest', { skip: 0, limit: 0 })).total
