import { countOf } from '../../store/list.ts'
import { secrets } from './store.ts'

/** Secrets of a domain; their former versions are not counted. */
export const countSecrets = (domain: string): Promise<number> => countOf(secrets, domain, 'latest')
