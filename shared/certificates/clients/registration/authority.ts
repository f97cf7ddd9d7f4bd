import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { walk } from '../../../store/list.ts'
import { caStateAt } from '../../authorities/records.ts'
import { localCas, type StoredLocalCa } from '../../authorities/store.ts'
import type { StoredExternalCa } from '../../external/store.ts'

/**
 * Ours: an authority whose certificates do not authenticate clients cannot register any, so that a new client learns of
 * it at once.
 * @throws Refusal STATE_CONFLICT that names the call to change this
 */
export function assertLetsClientsIn(
  kind: 'local' | 'external',
  { id, name, purpose }: Pick<StoredLocalCa | StoredExternalCa, 'id' | 'name' | 'purpose'>,
): void {
  if (purpose.client_authentication) return
  throw new Refusal(
    'STATE_CONFLICT',
    `Clients cannot log in with certificates of the ${kind} CA ${name}: PATCH /api/v1/ca/${kind}-cas/${id} with allow_client_authentication true lets them.`,
  )
}

/**
 * The local authority that certifies a client: the named one, or else the oldest active one.
 * @throws Refusal NOT_FOUND; STATE_CONFLICT if there is none, or its certificates do not authenticate clients
 */
export async function clientAuthority(
  { caller, now }: Context,
  caId: string | undefined,
): Promise<Stored<StoredLocalCa>> {
  const domain = caller.domain.id
  const authority = caId === undefined ? await oldestActive(domain, now) : await localCas.get(domain, caId)
  if (authority === undefined && caId !== undefined) throw new Refusal('NOT_FOUND', 'The local CA is gone.')
  if (authority === undefined)
    throw new Refusal(
      'STATE_CONFLICT',
      'No local CA is active: make one (POST /api/v1/ca/local-cas, then self-sign), or bring a certificate (ext_cert).',
    )
  assertLetsClientsIn('local', authority.item)
  return authority
}

async function oldestActive(domain: string, now: Date): Promise<Stored<StoredLocalCa> | undefined> {
  const { items } = await walk(localCas, domain, {
    sets: ['all'],
    matches: (row) => caStateAt(row, now) === 'active',
    ...{ skip: 0, limit: 1, narrowBy: 'naming the CA in the profile' },
  })
  return items[0]
}
