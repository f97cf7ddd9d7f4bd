import { assertNotGiven, ruleBroken } from '../../../base/errors.ts'
import { defined, patched, picked } from '../../../base/fields.ts'
import { addContainers, allFound, assertNoneThere } from '../../../cloud/containers/add-containers.ts'
import { changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy, newContainer } from '../../../cloud/containers/connection.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudDVaultRead } from '../adapter/types.ts'
import { cloudD } from '../adapter.ts'
import { compartmentAt } from '../compartments/compartments.ts'
import { EXTERNAL_VAULT_FIELDS } from '../external/bodies.ts'
import { changedExternal, releaseExternal } from '../external/change-vault.ts'
import { isExternalVault } from '../external/external.ts'
import { connectionNamed, entryOf, type OwnConnection } from '../place.ts'
import { tenancyFor, tenancyOf } from '../tenancies/tenancies.ts'
import type { AddVaults, CloudDVault, UpdateVault } from './model.ts'
import { cloudDKeys, keysOfVault } from '../keys/store.ts'
import { vaultKind } from './kind.ts'
import { vaultPurge } from './purge-vault.ts'
import type { StoredCloudDVault } from './store.ts'

/** The cloud's description of a vault. Read once per request. @throws Refusal CLOUD_… */
const vaultAt = (
  context: Context,
  connection: OwnConnection,
  region: string,
  id: string,
): Promise<CloudDVaultRead | undefined> =>
  context.once(`cloud-d vault ${connection.item.id} ${connection.rev} ${region} ${id}`, async () =>
    cloudD.vault(await entryOf(context, connection), region, id),
  )

/** Fields of a record that derive from the cloud's description. */
async function factsOf(context: Context, connection: OwnConnection, read: CloudDVaultRead) {
  const compartment = await compartmentAt(context, connection, read.compartment_id)
  return { ...read, name: read.display_name, compartment_name: compartment?.name ?? '' }
}

/**
 * Adds vaults, and their tenancy unless it is recorded already. Reads no keys.
 * @throws Refusal NOT_FOUND for the connection and for vaults that it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addVaults(context: Context, body: AddVaults): Promise<CloudDVault[]> {
  const { caller, now } = context
  const { region, bucket_name, bucket_namespace } = body
  const domain = caller.domain.id
  const named = { names: body.vault_id, pointerAt: (at: number) => `#/vault_id/${at}` }
  const connection = await connectionNamed(context, body.connection)
  await assertNoneThere(vaultKind, domain, named)
  const { tenancy } = await tenancyFor(context, connection)
  const read = (id: string) => vaultAt(context, connection, region, id)
  const found = await allFound(vaultKind.noun, named, read, 'is no vault that the connection reaches in the region')
  const vaults = await Promise.all(
    found.map(async (one): Promise<StoredCloudDVault> => ({
      ...newContainer(domain, 'cloud-d-vault', connection.item, now),
      ...(await factsOf(context, connection, one)),
      tenancy,
      region,
      ...defined({ bucket_name, bucket_namespace }),
    })),
  )
  const about = { uri: connection.item.uri, name: tenancy, list: 'vault_id' }
  return addContainers(vaultKind, context, vaults, named, about)
}

/**
 * The record with another connection, updated from the cloud. @throws Refusal NOT_FOUND, IN_USE, RULE_BROKEN, CLOUD_…
 */
async function through(context: Context, vault: StoredCloudDVault, name: string): Promise<StoredCloudDVault> {
  await assertIdle(vaultKind, context, vault)
  const connection = await connectionNamed(context, name)
  await tenancyOf(context, connection)
  const read = await vaultAt(context, connection, vault.region, vault.vault_id)
  if (read === undefined) throw ruleBroken('connection', `must reach the vault ${vault.vault_id}`)
  return { ...vault, ...(await factsOf(context, connection, read)), ...connectedBy(connection.item) }
}

/** The record of a vault at the cloud after a change. @throws Refusal as `through` */
async function changedAtCloud(
  context: Context,
  vault: StoredCloudDVault,
  body: UpdateVault,
): Promise<StoredCloudDVault> {
  assertNotGiven(body, EXTERNAL_VAULT_FIELDS, {
    message: 'The vault is at the cloud, which names it.',
    detail: 'applies to external vaults only',
  })
  const reached = body.connection === undefined ? vault : await through(context, vault, body.connection)
  const after = patched(reached, picked(body, 'bucket_name', 'bucket_namespace'))
  if ((after.bucket_name === undefined) !== (after.bucket_namespace === undefined))
    throw ruleBroken('bucket_name', 'and bucket_namespace go together')
  return after
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, and as `through` */
export const updateVault = (context: Context, id: string, body: UpdateVault): Promise<Stored<CloudDVault>> =>
  changeContainer(vaultKind, context, id, (vault) =>
    isExternalVault(vault) ? changedExternal(context, vault, body) : changedAtCloud(context, vault, body),
  )

/**
 * Removes the records of a vault and its keys, and changes nothing at the cloud. An external vault must be empty.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE during a synchronization or unfinished work; and as `releaseExternal`
 */
export const removeVault = (context: Context, id: string): Promise<void> =>
  removeContainer(vaultKind, context, id, async (vault) => {
    await assertIdle(vaultKind, context, vault)
    await assertNoWork(vaultKind, context, vault)
    await assertMayEach(context, { entity: cloudDKeys, family: keysOfVault(id), action: 'DeleteCloudDKey' })
    if (isExternalVault(vault)) await releaseExternal(context, vault)
    else vaultPurge.plan(context, id)
  })
