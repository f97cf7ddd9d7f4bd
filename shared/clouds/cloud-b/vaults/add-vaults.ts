import { addContainers, allFound, assertNoneThere } from '../../../cloud/containers/add-containers.ts'
import { newContainer } from '../../../cloud/containers/connection.ts'
import { proveConnection } from '../../../cloud/connections/test-connection.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { notThere } from '../../../base/errors.ts'
import { backupLimitOf } from '../../../cloud/settings/store.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudBVaultRead } from '../adapter/types.ts'
import type { CloudBConnectionRecord } from '../connections/model.ts'
import { connectionNamed, vaultAt, type OwnConnection, type VaultName } from '../reached.ts'
import { cloudBSubscriptions } from '../subscriptions/store.ts'
import { newSubscription, subscriptionsOf, subscriptionStored } from '../subscriptions/subscriptions.ts'
import type { AddVaults, CloudBSubscription, CloudBVault } from './model.ts'
import { vaultKey, type StoredCloudBVault } from './store.ts'
import { vaultKind } from './kind.ts'

/** The subscription of new vaults: stages the condition that it stays, if it exists. */
async function subscriptionFor(context: Context, connection: OwnConnection, key: string): Promise<CloudBSubscription> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const there = await subscriptionStored(domain, key)
  if (there !== undefined) {
    changes.update(cloudBSubscriptions, domain, there, there.item)
    return there.item
  }
  const detail = 'is no subscription that the connection reaches'
  const read = (await subscriptionsOf(context, connection)).find(({ subscription_id }) => subscription_id === key)
  if (read === undefined) throw notThere('There is no such subscription.', { pointer: '#/subscription_id', detail })
  const subscription = newSubscription(context, read, connection)
  changes.create(cloudBSubscriptions, domain, subscription)
  return subscription
}

/** The fields of a vault's record that the cloud supplies, except its identifying ones. */
export const factsOf = ({ name: _name, subscription_id: _subscription, ...read }: CloudBVaultRead) => ({
  ...read,
  region: read.location,
  gone: false,
})

/** The record of a new vault. */
const newVault = (
  { caller, now }: Context,
  connection: CloudBConnectionRecord,
  { subscription_id, display_name }: CloudBSubscription,
  read: CloudBVaultRead,
  cloud_key_backup_limit: number,
): StoredCloudBVault => ({
  ...newContainer(caller.domain.id, 'cloud-b-vault', connection, now),
  name: read.name,
  subscription_id,
  subscription_name: display_name,
  ...factsOf(read),
  cloud_key_backup_limit,
  synchronized: {},
})

/** A vault of a request; without `managed_hsm` the vault of the name, or else the managed HSM pool. */
async function named(
  context: Context,
  connection: OwnConnection,
  subscription_id: string,
  { name, managed_hsm }: AddVaults['vaults'][number],
): Promise<VaultName> {
  const vault = { subscription_id, name, managed_hsm: managed_hsm ?? false }
  if (managed_hsm !== undefined || (await vaultAt(context, connection, vault)) !== undefined) return vault
  const pool = { ...vault, managed_hsm: true }
  return (await vaultAt(context, connection, pool)) === undefined ? vault : pool
}

/**
 * Adds vaults of one subscription, and the subscription if it is not stored yet. The items of the vaults are not read.
 * @throws Refusal NOT_FOUND for the connection, and for vaults that it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addVaults(
  context: Context,
  { subscription_id, ...body }: AddVaults,
): Promise<{ vaults: CloudBVault[] }> {
  const connection = await connectionNamed(context, body.connection)
  await budgetOf(context) // starts before the test of the connection, so that the budget includes it
  await proveConnection(context, connection)
  const subscription = await subscriptionFor(context, connection, subscription_id)
  const asked = await Promise.all(body.vaults.map((vault) => named(context, connection, subscription_id, vault)))
  const wanted = new Map(asked.map((vault) => [vaultKey(vault), vault]))
  const places = { names: [...wanted.keys()], pointerAt: (at: number) => `#/vaults/${at}/name` }
  await assertNoneThere(vaultKind, context.caller.domain.id, places)
  const read = async (key: string): Promise<CloudBVaultRead | undefined> => {
    const vault = wanted.get(key)
    return vault && vaultAt(context, connection, vault)
  }
  const found = await allFound(vaultKind.noun, places, read, 'is no vault that the connection reaches')
  const limit = await backupLimitOf(context.caller.domain.id)
  const vaults = found.map((one) => newVault(context, connection.item, subscription, one, limit))
  const about = { uri: subscription.uri, name: subscription.display_name, list: 'vaults' }
  return { vaults: addContainers(vaultKind, context, vaults, places, about) }
}
