import { defined } from '../../../base/fields.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy } from '../../../cloud/containers/connection.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { proveConnection } from '../../../cloud/connections/test-connection.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { connectionNamed, vaultAt } from '../reached.ts'
import type { CloudBVault, UpdateVault } from './model.ts'
import { asRead } from './refresh-vault.ts'
import { planVaultPurge } from './purge-vault.ts'
import type { StoredCloudBVault } from './store.ts'
import { vaultKind } from './kind.ts'

/**
 * The record with another connection, read again. Ours: also with its present connection, in which case the vault may
 * turn out to be gone.
 * @throws Refusal NOT_FOUND, IN_USE while it is synchronized, RULE_BROKEN unless the connection reaches it, CLOUD_…
 */
async function through(context: Context, vault: StoredCloudBVault, named: string): Promise<StoredCloudBVault> {
  await assertIdle(vaultKind, context, vault)
  const connection = await connectionNamed(context, named)
  await budgetOf(context) // starts before the test of the connection, so that the budget includes it
  await proveConnection(context, connection)
  const read = await vaultAt(context, connection, vault)
  if (read === undefined && connection.item.id !== vault.connection_id)
    throw ruleBroken('connection', `must reach the vault ${vault.name}`)
  return { ...asRead(vault, read), ...connectedBy(connection.item) }
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, and as `through` */
export const updateVault = (context: Context, id: string, body: UpdateVault): Promise<Stored<CloudBVault>> =>
  changeContainer(vaultKind, context, id, async (vault) => {
    const { connection, cloud_key_backup_limit: limit } = body
    const reached = connection === undefined ? vault : await through(context, vault, connection)
    return { ...reached, ...defined({ cloud_key_backup_limit: limit }) }
  })

/**
 * Removes a vault, with the records of its keys, secrets and certificates; the cloud does not change.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized or has unfinished sagas
 */
export const removeVault = (context: Context, id: string): Promise<void> =>
  removeContainer(vaultKind, context, id, async (vault) => {
    await assertIdle(vaultKind, context, vault)
    await assertNoWork(vaultKind, context, vault)
    await planVaultPurge(context, id)
  })
