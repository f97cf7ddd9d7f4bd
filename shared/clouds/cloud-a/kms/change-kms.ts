import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField, ruleBroken } from '../../../base/errors.ts'
import type { CloudAKms, KmsStatus, UpdateCloudAKms } from './model.ts'
import type { StoredCloudAKms } from './store.ts'
import type { CloudAConnectionRecord } from '../connections/model.ts'
import type { Stored } from '../../../store/entity.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { connectionOfContainer } from '../../../cloud/containers/connection.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import { accountBehind, connectionNamed, proveAccount, unknownRegions, type AccountBehind } from '../reached.ts'
import { assertNoStoresOfOurs, assertNothingServed } from '../key-stores/of-container.ts'
import { NAME } from '../name.ts'
import { assertActive, kmsKind } from './kind.ts'
import { planKeyPurge, planPurge } from './purge-keys.ts'

type Role = Pick<StoredCloudAKms, 'assume_role_arn' | 'assume_role_external_id'>

/**
 * The role after a change. Removing the role also removes its external id.
 * @throws Refusal RULE_BROKEN for an external id without a role
 */
function changedRole({ assume_role_arn, assume_role_external_id }: Role, body: UpdateCloudAKms): Role {
  const role = patched<Role>(
    {
      ...defined({ assume_role_arn }),
      ...(assume_role_external_id !== undefined && body.assume_role_arn !== null && { assume_role_external_id }),
    },
    { assume_role_arn: body.assume_role_arn, assume_role_external_id: body.assume_role_external_id },
  )
  if (role.assume_role_external_id === undefined || role.assume_role_arn !== undefined) return role
  throw ruleBroken('assume_role_external_id', 'needs assume_role_arn')
}

/** The connection of an entry after a change: the named one, or its own. @throws Refusal NOT_FOUND, STATE_CONFLICT */
function connectionOf(
  context: Context,
  kms: StoredCloudAKms,
  named: string | undefined,
): Promise<Stored<CloudAConnectionRecord>> {
  if (named !== undefined) return connectionNamed(context, named)
  return connectionOfContainer(NAME, kmsKind, context.caller.domain.id, kms)
}

/** A new connection or role must lead to the account of the entry. @throws Refusal RULE_BROKEN */
function assertSameAccount(
  account: AccountBehind,
  before: StoredCloudAKms,
  { regions = [], ...body }: UpdateCloudAKms,
): void {
  const errors: BrokenField[] = unknownRegions(account, regions)
  const detail = `must be for account ${before.account_id}, but is for ${account.account_id}`
  const pointer = `#/${body.assume_role_arn === undefined && body.connection !== undefined ? 'connection' : 'assume_role_arn'}`
  if (account.account_id !== before.account_id) errors.unshift({ pointer, detail })
  if (errors.length > 0)
    throw new Refusal('RULE_BROKEN', 'The KMS entry stays with its account and the regions that the account may use.', {
      errors,
    })
}

const isOtherRole = (before: Role, after: Role): boolean =>
  before.assume_role_arn !== after.assume_role_arn || before.assume_role_external_id !== after.assume_role_external_id

/**
 * The access fields of an entry whose connection, role or regions change, verified by a call to the cloud; no call is
 * made when regions are only removed.
 */
async function changedEntry(
  context: Context,
  before: StoredCloudAKms,
  role: Role,
  body: UpdateCloudAKms,
): Promise<Partial<Pick<StoredCloudAKms, 'arn' | 'connection' | 'connection_id'>>> {
  const isNew = body.regions?.some((region) => !before.regions.includes(region)) === true || isOtherRole(before, role)
  if (body.connection === undefined && !isNew) return {}
  const stored = await connectionOf(context, before, body.connection)
  const begins = stored.item.id !== before.connection_id
  const account = await (begins ? proveAccount : accountBehind)(context, stored, role)
  assertSameAccount(account, before, body)
  return { arn: account.arn, connection: stored.item.name, connection_id: stored.item.id }
}

/**
 * Changes the connection, the role or the regions of an entry. The records of keys in a removed region are deleted; the
 * cloud does not change.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when archived, IN_USE while it is synchronized, or when a
 * removed region has unfinished sagas or key stores that this service serves, RULE_BROKEN, CLOUD_…
 */
export const updateKms = (context: Context, id: string, body: UpdateCloudAKms): Promise<Stored<CloudAKms>> =>
  changeContainer(kmsKind, context, id, async (before) => {
    assertActive(before)
    const role = changedRole(before, body)
    await assertIdle(kmsKind, context, before)
    const regions = body.regions ?? before.regions
    const changed = await changedEntry(context, before, role, body)
    const dropped = before.regions.filter((region) => !regions.includes(region))
    if (dropped.length > 0) {
      await assertNoWork(kmsKind, context, before)
      await assertNoStoresOfOurs(context, before, dropped)
      await planKeyPurge(context, id, dropped)
    }
    return {
      ...without(before, 'assume_role_arn', 'assume_role_external_id'),
      ...role,
      ...changed,
      regions,
      synchronized: Object.fromEntries(
        Object.entries(before.synchronized).filter(([region]) => regions.includes(region)),
      ),
    }
  })

/**
 * Removes an entry with the records of its keys, its templates and the key stores of others; the cloud does not change.
 * Ours: also an archived one, since nothing runs in it.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized, has unfinished sagas, or has key stores
 * that this service serves
 */
export const deleteKms = (context: Context, id: string): Promise<void> =>
  removeContainer(kmsKind, context, id, async (kms) => {
    await assertIdle(kmsKind, context, kms)
    await assertNoWork(kmsKind, context, kms)
    await assertNoStoresOfOurs(context, kms, kms.regions)
    await planPurge(context, kms)
  })

/**
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it has this status already, IN_USE while it is
 * synchronized, or when it is to be archived and has unfinished sagas or key stores that are not blocked
 */
const move = (context: Context, id: string, status: KmsStatus): Promise<Stored<CloudAKms>> =>
  changeContainer(kmsKind, context, id, async (kms) => {
    if (kms.status === status) throw new Refusal('STATE_CONFLICT', `The KMS entry ${kms.name} is ${status} already.`)
    await assertIdle(kmsKind, context, kms)
    if (status === 'archived') {
      await assertNoWork(kmsKind, context, kms)
      await assertNothingServed(context, kms)
    }
    return { ...kms, status }
  })

/** Archives an entry, which can then only be read; its key stores and hosted keys can still be blocked. */
export const archiveKms = (context: Context, id: string): Promise<Stored<CloudAKms>> => move(context, id, 'archived')

export const recoverKms = (context: Context, id: string): Promise<Stored<CloudAKms>> => move(context, id, 'active')
