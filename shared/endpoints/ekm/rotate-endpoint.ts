import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { rotateEndpoint as rotateKey } from '../../endpoint/endpoint-key.ts'
import type { EkmEndpoint } from './model.ts'
import { forgetKek, type StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { versionsOf } from '../../vault/keys/lists/find-key.ts'
import { VERSIONS_MOST } from './kek.ts'
import { ekmEndpointKind } from './records.ts'
import { countAtHosts } from './session-certificate/hosts.ts'

/**
 * Creates a new version of the local key: new blobs use it, old ones can still be unwrapped, and the address stays.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT while disabled, for a signing endpoint, or
 * unless the local key is Active
 */
export const rotateEndpoint = (context: Context, id: string): Promise<Stored<EkmEndpoint>> =>
  rotateKey(ekmEndpointKind, context, id, ({ enabled, name }) => {
    if (!enabled) throw new Refusal('STATE_CONFLICT', `The EKM endpoint ${name} is disabled.`)
  })

/**
 * Stages that the address of a deleted endpoint becomes unknown. Its key stays. Ours: if a key has more versions than
 * fit into one transaction, the addresses of the oldest ones remain; they refer to a deleted endpoint, which has the
 * same effect.
 */
export async function forgetEndpoint(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  endpoint: StoredEkmEndpoint,
): Promise<void> {
  await countAtHosts(changes, [endpoint], [])
  const versions = await versionsOf(caller.domain.id, endpoint.kekName)
  for (const { item } of versions.slice(-VERSIONS_MOST)) forgetKek(changes, item.id)
}
