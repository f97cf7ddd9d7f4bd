import { countOf } from '../../store/list.ts'
import { localKeys } from './store.ts'

/** Keys of a domain; their former versions are not counted. */
export const countKeys = (domain: string): Promise<number> => countOf(localKeys, domain, 'latest')
