import { counted } from '../../base/counted.ts'
import { Refusal } from '../../base/errors.ts'
import { clients, clientsOfCa } from '../../identity/clients/store.ts'
import type { Context } from '../../http/context.ts'
import { clientProfiles, profilesOfCa } from './profiles/store.ts'
import { registrationTokens, tokensOfCa } from './registration-tokens/store.ts'

/**
 * @param called the authority, as in "The local CA shop" @throws Refusal IN_USE that names the users of the authority
 */
export async function assertServesNoClients(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  called: string,
  caId: string,
): Promise<void> {
  const domain = caller.domain.id
  const served = [
    ['client', await changes.relyOnCount(clients, domain, clientsOfCa(caId))],
    ['client profile', await changes.relyOnCount(clientProfiles, domain, profilesOfCa(caId))],
    ['registration token', await changes.relyOnCount(registrationTokens, domain, tokensOfCa(caId))],
  ] as const
  const used = served.find(([, count]) => count > 0)
  if (used !== undefined) throw new Refusal('IN_USE', `${called} is used by ${counted(used[1], used[0])}.`)
}
