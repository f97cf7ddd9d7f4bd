import { endpointsOver, followKey } from '../../endpoint/endpoint-key.ts'
import { blockable } from '../../emergency/targets.ts'
import { aclHolder } from '../../identity/acl-entries.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { externalKeyKind } from './keys/kind.ts'
import { externalKeys, newestOf } from './keys/store.ts'
import { datacustKeystores, KEYSTORE_OWNER } from './stores/store.ts'

/** External keys over local keys. */
export const externalKeyUser: KeyUser = {
  usesOf: (context, name) =>
    endpointsOver(externalKeyKind, context, name, 'ReadDatacustExternalKey', ({ keystore_id }) => keystore_id),
  // Ours: a new version of a local key that a later version has replaced adds none.
  follow: async (context, former, next) => {
    const stored = await externalKeys.find(context.caller.domain.id, 'kek', next.name)
    if (stored !== undefined && newestOf(stored.item).source_key_name === next.name)
      await followKey(externalKeyKind, context, former, next)
  },
}

export const datacustBlockable = [blockable('endpoint', datacustKeystores)]

export const datacustPurge: readonly PurgeStep[] = [
  removing(externalKeys, 'all'),
  removing(datacustKeystores, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, KEYSTORE_OWNER, id)),
]

/** Users and groups that permissions of key stores name. */
export const keystoreAcls = [aclHolder(datacustKeystores, 'deleting external key stores')]
