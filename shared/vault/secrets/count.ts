import { countOf } from '../../store/list.ts'
import { secrets } from './store.ts'

/** Number of secrets of a domain, not counting former versions. */
export const countSecrets = (domain: string): Promise<number> => countOf(secrets, domain, 'latest')
