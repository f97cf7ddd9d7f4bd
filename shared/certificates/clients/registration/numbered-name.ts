import { Refusal } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { clients } from '../../../identity/clients/store.ts'

/**
 * Number of names that are tried. The steps double, so that they exceed any number of clients that another token has
 * named similarly.
 */
const STEPS_MOST = 24

/** The next number that makes a free name with a prefix; numbers of taken names are skipped. */
export async function freeNumber(prefix: string, first: number): Promise<number> {
  for (let step = 0, number = first; step < STEPS_MOST; step++, number = first + 2 ** step - 1)
    if ((await clients.holder(ROOT_DOMAIN_ID, 'name', `${prefix}${number}`)) === undefined) return number
  throw new Refusal('NAME_TAKEN', `Other clients have the names that begin with ${prefix}.`)
}
