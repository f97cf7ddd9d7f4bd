import { connectionInBody } from '../../cloud/containers/connection.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import type { CloudBVaultRead } from './adapter/types.ts'
import type { CloudBConnectionRecord } from './connections/model.ts'
import { cloudB } from './adapter.ts'
import { entryOf } from './place.ts'
import { NAME } from './name.ts'

export type OwnConnection = Stored<CloudBConnectionRecord>
/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (context: Pick<Context, 'caller'>, nameOrId: string): Promise<OwnConnection> =>
  connectionInBody(NAME, context, nameOrId)

/** The identification of a vault or pool at the cloud. */
export interface VaultName {
  readonly subscription_id: string
  readonly name: string
  readonly managed_hsm: boolean
}

/**
 * A vault read through a connection, once per request; `undefined` when it is gone or soft-deleted. @throws Refusal
 * CLOUD_…
 */
export const vaultAt = (
  context: Pick<Context, 'caller' | 'once'>,
  stored: OwnConnection,
  { subscription_id, name, managed_hsm }: VaultName,
): Promise<CloudBVaultRead | undefined> =>
  context.once(`cloud-b vault ${stored.item.id} ${stored.rev} ${subscription_id} ${name} ${managed_hsm}`, async () =>
    cloudB.vault(await entryOf(context, stored), { subscription_id, name, managed_hsm }),
  )
