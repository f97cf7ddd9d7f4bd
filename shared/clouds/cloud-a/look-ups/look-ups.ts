import { defined } from '../../../base/fields.ts'
import { keyKind } from '../keys/kind.ts'
import { placeIn } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import type {
  CloudAAccount,
  IdentityRoles,
  IdentityUsers,
  LogGroups,
  ReadAccount,
  ReadIdentities,
  ReadLogGroups,
  VerifyAlias,
} from '../kms/model.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { openCloudA } from '../connections/open.ts'
import { accountBehind, connectionNamed } from '../reached.ts'
import { findContainer } from '../../../cloud/containers/find-container.ts'
import { assertActive, assertRegion, kmsKind } from '../kms/kind.ts'
import { cloudA } from '../adapter.ts'
import { entryOf } from '../place.ts'

/** The account of a connection, or of a role after it. @throws Refusal NOT_FOUND, RULE_BROKEN, CLOUD_… */
export async function readAccount(context: Context, body: ReadAccount): Promise<CloudAAccount> {
  const { connection, ...role } = body
  const { account_id, regions } = await accountBehind(context, await connectionNamed(context, connection), role)
  return { account_id, regions: [...regions], ...role }
}

/** Every region that the account of a connection may use. @throws Refusal NOT_FOUND, CLOUD_… */
export async function readRegions(context: Context, named: string): Promise<string[]> {
  const stored = await connectionNamed(context, named)
  const connection = await openCloudA(context.caller.domain.id, stored)
  return cloudA.regions({ connection, budget: await budgetOf(context) })
}

/** An entry whose account may be read. @throws Refusal NOT_FOUND, STATE_CONFLICT when it is archived */
async function kmsNamed(context: Context, named: string): Promise<StoredCloudAKms> {
  const { item } = await findContainer(kmsKind, context, named, {
    pointer: '#/kms',
    detail: 'is no KMS entry that you may see',
  })
  assertActive(item)
  return item
}

async function identities(
  context: Context,
  kind: 'users' | 'roles',
  { kms, path_prefix, max_items, marker }: ReadIdentities,
): Promise<{ items: { name: string; arn: string }[]; marker?: string; is_truncated: boolean }> {
  const entry = await entryOf(context.caller.domain.id, await kmsNamed(context, kms), await budgetOf(context))
  const page = await cloudA[kind](entry, { pathPrefix: path_prefix, maxItems: max_items, marker })
  return {
    items: [...page.items],
    ...defined({ marker: page.marker }),
    is_truncated: page.marker !== undefined,
  }
}

/** One page of the account's users. @throws Refusal NOT_FOUND, STATE_CONFLICT, CLOUD_… */
export async function readUsers(context: Context, body: ReadIdentities): Promise<IdentityUsers> {
  const { items, ...page } = await identities(context, 'users', body)
  return { users: items, ...page }
}

/** One page of the account's roles. @throws Refusal NOT_FOUND, STATE_CONFLICT, CLOUD_… */
export async function readRoles(context: Context, body: ReadIdentities): Promise<IdentityRoles> {
  const { items, ...page } = await identities(context, 'roles', body)
  return { roles: items, ...page }
}

/** One page of a region's log groups. @throws Refusal NOT_FOUND, RULE_BROKEN, STATE_CONFLICT, CLOUD_… */
export async function readLogGroups(context: Context, body: ReadLogGroups): Promise<LogGroups> {
  const kms = await kmsNamed(context, body.kms)
  assertRegion(kms, body.region)
  const place = await placeIn(keyKind, context, kms, body.region)
  const { limit, logGroupNamePrefix: prefix, nextToken } = body
  const page = await cloudA.logGroups(place, { limit, prefix, nextToken })
  return { log_groups: page.log_groups, ...defined({ nextToken: page.nextToken }) }
}

/**
 * Whether an alias could be given to a key now. Ours: only the cloud is asked, because it decides at the assignment; an
 * alias that only our records have was removed there.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, STATE_CONFLICT, CLOUD_…
 */
export async function isAliasFree(context: Context, { alias, kms: named, region }: VerifyAlias): Promise<boolean> {
  const kms = await kmsNamed(context, named)
  assertRegion(kms, region)
  const place = await placeIn(keyKind, context, kms, region)
  return (await cloudA.holderOf(place, alias)) === undefined
}
