import { PARTITIONS } from './adapter/partitions.ts'
import type { Context } from '../../http/context.ts'
import { type BrokenField, ruleBroken } from '../../base/errors.ts'
import type { CloudAConnectionRecord } from './connections/model.ts'
import type { Stored } from '../../store/entity.ts'
import { budgetOf } from '../../cloud/budget.ts'
import { connectionInBody } from '../../cloud/containers/connection.ts'
import { cloudAEntryOf as entryOf } from './connections/kind.ts'
import { openCloudA } from './connections/open.ts'
import { proveConnection } from '../../cloud/connections/test-connection.ts'
import { cloudA } from './adapter.ts'
import { NAME } from './name.ts'

/** A role that is assumed after a connection's own identity. */
export interface RoleFields {
  readonly assume_role_arn?: string | undefined
  readonly assume_role_external_id?: string | undefined
}

export interface AccountBehind {
  /** the account of the role, or without a role that of the connection */
  readonly account_id: string
  /** the connection's own identity */
  readonly arn: string
  /** regions that the account may use */
  readonly regions: readonly string[]
}

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (
  context: Pick<Context, 'caller'>,
  nameOrId: string,
): Promise<Stored<CloudAConnectionRecord>> => connectionInBody(NAME, context, nameOrId)

/** @throws Refusal RULE_BROKEN for a role of another edition of the cloud, which this connection cannot assume */
function assertRole({ cloud_name }: CloudAConnectionRecord, arn: string | undefined): void {
  if (arn === undefined || arn.split(':')[1] === PARTITIONS[cloud_name].name) return
  throw ruleBroken('assume_role_arn', `must be a role of ${cloud_name}, as the connection`)
}

type Asking = Pick<Context, 'caller' | 'once'>

/**
 * Asks the cloud for the account of a connection and of an optional role. One call per request, unless the connection
 * changed meanwhile.
 * @throws Refusal RULE_BROKEN for the role, CLOUD_…
 */
export function accountBehind(
  context: Asking,
  stored: Stored<CloudAConnectionRecord>,
  { assume_role_arn: arn, assume_role_external_id: externalId }: RoleFields,
): Promise<AccountBehind> {
  assertRole(stored.item, arn)
  const { id, sealed = '' } = stored.item
  const asked = JSON.stringify([id, entryOf(stored.item), arn, externalId])
  return context.once(`account behind ${asked} ${sealed}`, async () => {
    const own = {
      connection: await openCloudA(context.caller.domain.id, stored),
      budget: await budgetOf(context),
    }
    const inRole = arn === undefined ? own : { ...own, role: { arn, externalId } }
    const asItself = cloudA.identity(own)
    const [self, reached, regions] = await Promise.all([
      asItself,
      arn === undefined ? asItself : cloudA.identity(inRole),
      cloudA.regions(inRole),
    ])
    return { account_id: reached.account_id, arn: self.arn, regions }
  })
}

/**
 * As `accountBehind`, for an entry that starts to use the connection, which must be ready.
 * @throws Refusal RULE_BROKEN, CLOUD_…
 */
export async function proveAccount(
  context: Context,
  stored: Stored<CloudAConnectionRecord>,
  role: RoleFields,
): Promise<AccountBehind> {
  assertRole(stored.item, role.assume_role_arn)
  await budgetOf(context) // starts before the test of the connection, so that the budget includes it
  await proveConnection(context, stored)
  return accountBehind(context, stored, role)
}

/** Errors, in the body's list, for the regions that the account may not use. */
export const unknownRegions = ({ regions }: AccountBehind, wanted: readonly string[]): BrokenField[] =>
  wanted.flatMap((region, at) =>
    regions.includes(region)
      ? []
      : [{ pointer: `#/regions/${at}`, detail: `${region} is no region that the account may use` }],
  )
