import { Refusal } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { clients } from '../../../identity/clients/store.ts'

/** Names looked up. The steps double, so that they lead beyond any number of clients that another token named alike. */
const STEPS_MOST = 24

/** The next number that makes a free name of a prefix; numbers whose names others have are passed over. */
export async function freeNumber(prefix: string, first: number): Promise<number> {
  for (let step = 0, number = first; step < STEPS_MOST; step++, number = first + 2 ** step - 1)
    if ((await clients.holder(ROOT_DOMAIN_ID, 'name', `${prefix}${number}`)) === undefined) return number
  throw new Refusal('NAME_TAKEN', `Other clients have the names that begin with ${prefix}.`)
}
