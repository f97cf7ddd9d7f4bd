import { pageOf } from '../../store/list.ts'
import { secrets } from './store.ts'

/** Secrets of a domain; their former versions are not counted. */
export const countSecrets = async (domain: string): Promise<number> =>
  (await pageOf(secrets, domain, 'latest', { skip: 0, limit: 0 })).total
