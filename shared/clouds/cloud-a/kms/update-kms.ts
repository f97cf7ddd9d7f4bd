import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import type { CloudAKms, UpdateCloudAKms } from './model.ts'
import { cloudAKms, type StoredCloudAKms } from './store.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { patched, without } from '../../../base/fields.ts'
import { connectionById } from '../../../cloud/connections/find-connection.ts'
import { accountBehind, connectionNamed, proveAccount, unknownRegions, type AccountBehind } from '../account-behind.ts'
import { assertNoStoresOfOurs } from '../key-stores/of-container.ts'
import { assertActive, findKms } from '../find-kms.ts'
import { assertIdle, assertNoWork } from './assert-idle.ts'
import { presentStored, told } from './present-kms.ts'
import { planKeyPurge } from './purge-keys.ts'

type Role = Pick<StoredCloudAKms, 'assume_role_arn' | 'assume_role_external_id'>

/**
 * The role as a change leaves it. Taking the role away takes its external id along.
 * @throws Refusal RULE_BROKEN for an external id without role
 */
function changedRole({ assume_role_arn, assume_role_external_id }: Role, body: UpdateCloudAKms): Role {
  const role = patched<Role>(
    {
      ...(assume_role_arn !== undefined && { assume_role_arn }),
      ...(assume_role_external_id !== undefined && body.assume_role_arn !== null && { assume_role_external_id }),
    },
    { assume_role_arn: body.assume_role_arn, assume_role_external_id: body.assume_role_external_id },
  )
  if (role.assume_role_external_id === undefined || role.assume_role_arn !== undefined) return role
  const detail = 'needs assume_role_arn'
  throw new Refusal('RULE_BROKEN', `assume_role_external_id ${detail}.`, {
    errors: [{ pointer: '#/assume_role_external_id', detail }],
  })
}

/** The connection an entry shall have: the one that is named, or its own. @throws Refusal NOT_FOUND, STATE_CONFLICT */
async function connectionOf(
  context: Context,
  kms: StoredCloudAKms,
  named: string | undefined,
): Promise<Stored<ConnectionOf<'cloud-a'>>> {
  if (named !== undefined) return connectionNamed(context, named)
  const own = await connectionById('cloud-a', context.caller.domain.id, kms.connection_id)
  if (own !== undefined) return own
  throw new Refusal('STATE_CONFLICT', `The KMS entry ${kms.name} has lost its connection: give it another one.`)
}

/** Whichever way in is new must lead to the account the entry is for. @throws Refusal RULE_BROKEN */
function assertSameAccount(
  account: AccountBehind,
  before: StoredCloudAKms,
  { regions = [], ...body }: UpdateCloudAKms,
): void {
  const errors: BrokenField[] = unknownRegions(account, regions)
  const detail = `must lead to the account ${before.account_id}, and leads to ${account.account_id}`
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
 * How an entry whose way in changes, or which gets more regions, is entered from now on, after the cloud was asked; of
 * the cloud nothing is asked when regions are only dropped.
 */
async function changedEntry(
  context: Context,
  { item: before }: Stored<StoredCloudAKms>,
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
 * Changes the way into an account, or the regions of an entry. What is known of keys in a region that is dropped goes;
 * the cloud is left alone.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when archived, IN_USE while it is synchronized, or when a region is
 * dropped while keys are worked on or key stores there are served from here, RULE_BROKEN, CLOUD_…
 */
export async function updateKms(context: Context, id: string, body: UpdateCloudAKms): Promise<Stored<CloudAKms>> {
  const { caller, changes, now } = context
  const stored = await findKms(context, id)
  const { item: before, rev } = stored
  honourIfMatch(context, stored)
  assertActive(before)
  const role = changedRole(before, body)
  await assertIdle(context, before)
  const regions = body.regions ?? before.regions
  const after: StoredCloudAKms = {
    ...without(before, 'assume_role_arn', 'assume_role_external_id'),
    ...role,
    ...(await changedEntry(context, stored, role, body)),
    regions,
    synchronized: Object.fromEntries(
      Object.entries(before.synchronized).filter(([region]) => regions.includes(region)),
    ),
    updatedAt: now.toISOString(),
  }
  changes.update(cloudAKms, caller.domain.id, stored, after)
  const dropped = before.regions.filter((region) => !regions.includes(region))
  if (dropped.length > 0) {
    await assertNoWork(context, before)
    await assertNoStoresOfOurs(context, before, dropped)
    planKeyPurge(context, id, dropped)
  }
  context.about({ uri: after.uri, name: after.name, ...told(before, after) })
  return presentStored({ item: after, rev: rev + 1 })
}
