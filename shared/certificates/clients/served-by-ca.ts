import { counted } from '../../base/counted.ts'
import { Refusal } from '../../base/errors.ts'
import { clients, clientsOfCa } from '../../identity/clients/store.ts'
import { countOf } from '../../store/list.ts'
import { clientProfiles, profilesOfCa } from './profiles/store.ts'
import { registrationTokens, tokensOfCa } from './registration-tokens/store.ts'

/**
 * @param called the authority, as in "The local CA shop" @throws Refusal IN_USE that names the users of the authority
 */
export async function assertServesNoClients(domain: string, called: string, caId: string): Promise<void> {
  const served = [
    ['client', await countOf(clients, domain, clientsOfCa(caId))],
    ['client profile', await countOf(clientProfiles, domain, profilesOfCa(caId))],
    ['registration token', await countOf(registrationTokens, domain, tokensOfCa(caId))],
  ] as const
  const used = served.find(([, count]) => count > 0)
  if (used !== undefined) throw new Refusal('IN_USE', `${called} is used by ${counted(used[1], used[0])}.`)
}
