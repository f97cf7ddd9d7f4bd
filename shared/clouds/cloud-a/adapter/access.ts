import { ListRegionsCommand } from '@aws-sdk/client-account'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { onAccount, onIam, onLogs, onSts, type Entry } from './client.ts'
import { allPages } from './paging.ts'
import type { CloudAConnection, CloudAIdentity, CloudAOwn, IdentityPage } from './types.ts'

const REGIONS_A_PAGE = 50

export async function identity(entry: Entry): Promise<CloudAIdentity> {
  const { Account, Arn } = await onSts(entry, (sts, options) => sts.send(new GetCallerIdentityCommand({}), options))
  if (Account === undefined || Arn === undefined)
    throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the identity.')
  return { account_id: Account, arn: Arn }
}

export async function test(connection: CloudAConnection, budget: AbortSignal): Promise<void> {
  await identity({ connection, budget })
}

export async function regions(entry: Entry): Promise<string[]> {
  const all = await allPages(async (NextToken) => {
    const command = new ListRegionsCommand({
      MaxResults: REGIONS_A_PAGE,
      RegionOptStatusContains: ['ENABLED', 'ENABLED_BY_DEFAULT'],
      NextToken,
    })
    const reply = await onAccount(entry, (account, options) => account.send(command, options))
    return { items: reply.Regions, next: reply.NextToken }
  })
  return all.flatMap(({ RegionName }) => RegionName ?? []).sort()
}

/** A page of users or roles: IAM answers both in the same form. */
const pageOf = (
  items: readonly { Arn?: string | undefined; name?: string | undefined }[],
  reply: { IsTruncated?: boolean | undefined; Marker?: string | undefined },
): IdentityPage => ({
  items: items.map(({ name = '', Arn: arn = '' }) => ({ name, arn })),
  ...(reply.IsTruncated === true && reply.Marker !== undefined && { marker: reply.Marker }),
})

export const users: CloudAOwn['users'] = async (entry, { pathPrefix, maxItems, marker }) => {
  const { ListUsersCommand } = await import('@aws-sdk/client-iam')
  const command = new ListUsersCommand({ PathPrefix: pathPrefix, MaxItems: maxItems, Marker: marker })
  const reply = await onIam(entry, (iam, options) => iam.send(command, options))
  return pageOf(
    (reply.Users ?? []).map(({ UserName: name, Arn }) => ({ name, Arn })),
    reply,
  )
}

export const roles: CloudAOwn['roles'] = async (entry, { pathPrefix, maxItems, marker }) => {
  const { ListRolesCommand } = await import('@aws-sdk/client-iam')
  const command = new ListRolesCommand({ PathPrefix: pathPrefix, MaxItems: maxItems, Marker: marker })
  const reply = await onIam(entry, (iam, options) => iam.send(command, options))
  return pageOf(
    (reply.Roles ?? []).map(({ RoleName: name, Arn }) => ({ name, Arn })),
    reply,
  )
}

export const logGroups: CloudAOwn['logGroups'] = async (place, { limit, prefix, nextToken }) => {
  const { DescribeLogGroupsCommand } = await import('@aws-sdk/client-cloudwatch-logs')
  const command = new DescribeLogGroupsCommand({ limit, logGroupNamePrefix: prefix, nextToken })
  const reply = await onLogs(place, (logs, options) => logs.send(command, options))
  return {
    log_groups: (reply.logGroups ?? []).flatMap(({ logGroupName }) => logGroupName ?? []),
    ...defined({ nextToken: reply.nextToken }),
  }
}
