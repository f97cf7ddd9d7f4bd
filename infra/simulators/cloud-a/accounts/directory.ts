import { principalId, type SimulatedRole } from './accounts.ts'
import type { Operations } from '../wire/call.ts'
import type { SimulatedCluster } from './clusters.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { optionalList, optionalText, type Input } from '../../toolkit/aws/input.ts'
import { inOrder } from '../../toolkit/pages.ts'
import { pageOf, pageOfItems } from '../wire/pages.ts'
import { validation } from '../wire/refusals.ts'
import { arnOf, partitionOf } from './regions.ts'

const REGION_PAGES = { limit: 'MaxResults', marker: 'NextToken', standard: 50, most: 50 }
const IAM_PAGES = { limit: 'MaxItems', marker: 'Marker', standard: 100, most: 1000 }
const CLUSTER_PAGES = { limit: 'MaxResults', marker: 'NextToken', standard: 25, most: 100 }
const LOG_PAGES = { limit: 'limit', marker: 'nextToken', standard: 50, most: 50 }
/** Creation date of users, roles and log groups. */
const SINCE = new Date('2024-01-01T00:00:00Z')

export const accountOperations: Operations = {
  ListRegions: (call, input) => {
    const wanted = optionalList(input, 'RegionOptStatusContains')
    const other = optionalText(input, 'AccountId', { max: 12 })
    if (other !== undefined) {
      throw new ServiceError('AccessDeniedException', 'Only a management account may ask for another account.')
    }
    const { regions } = partitionOf(call.caller.account.cloud_name)
    const fitting = regions
      .filter(({ status }) => wanted === undefined || wanted.length === 0 || wanted.includes(status))
      .map(({ name, status }) => [name, { RegionName: name, RegionOptStatus: status }] as const)
    const { items: Regions, next } = pageOfItems(call, input, REGION_PAGES, fitting)
    return { Regions, ...(next !== undefined && { NextToken: next }) }
  },
}

export const iamOperations: Operations = {
  ListUsers: (call, input) => {
    const { id, users, userArn } = call.caller.account
    const { names, next } = pageOf(call, input, IAM_PAGES, inOrder(users))
    const arn = (name: string) => userArn.replace(/[^/]+$/, name)
    const shown = names.map((name) => ({
      Path: '/',
      UserName: name,
      UserId: principalId('AIDA', `${id} ${name}`),
      Arn: arn(name),
      CreateDate: SINCE,
    }))
    return { Users: shown, ...iamTail(next) }
  },
  ListRoles: (call, input) => {
    const roles = call.caller.account.roles.map((role) => [role.name, role] as const)
    const { items: shown, next } = pageOfItems(call, input, IAM_PAGES, roles)
    return {
      Roles: shown.map(({ name, arn, ...trust }) => ({
        Path: '/',
        RoleName: name,
        RoleId: principalId('AROA', arn),
        Arn: arn,
        CreateDate: SINCE,
        AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trustPolicy(trust))),
        MaxSessionDuration: 3600,
      })),
      ...iamTail(next),
    }
  },
}

const iamTail = (next: string | undefined): object =>
  next === undefined ? { IsTruncated: false } : { IsTruncated: true, Marker: next }

const trustPolicy = ({ trusts, externalId, anywhere }: Omit<SimulatedRole, 'name' | 'arn'>) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: trusts },
      Action: 'sts:AssumeRole',
      ...(externalId !== undefined && { Condition: { StringEquals: { 'sts:ExternalId': externalId } } }),
    },
    ...(anywhere ? [BY_CERTIFICATE] : []),
  ],
})

const BY_CERTIFICATE = {
  Effect: 'Allow',
  Principal: { Service: 'rolesanywhere.amazonaws.com' },
  Action: ['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'],
}

export const logsOperations: Operations = {
  DescribeLogGroups: (call, input) => {
    const prefix = optionalText(input, 'logGroupNamePrefix', { max: 512 }) ?? ''
    const pattern = optionalText(input, 'logGroupNamePattern', { max: 512 }) ?? ''
    const { account, region } = call.caller
    const fitting = account.logGroups.filter((name) => name.startsWith(prefix) && name.includes(pattern))
    const { names, next } = pageOf(call, input, LOG_PAGES, inOrder(fitting))
    const logGroups = names.map((logGroupName) => {
      const logGroupArn = arnOf('logs', region, account.id, `log-group:${logGroupName}`)
      const arn = `${logGroupArn}:*`
      return { logGroupName, logGroupArn, arn, creationTime: SINCE.getTime(), metricFilterCount: 0, storedBytes: 0 }
    })
    return { logGroups, ...(next !== undefined && { nextToken: next }) }
  },
}

export const cloudhsmOperations: Operations = {
  DescribeClusters: (call, input) => {
    const fits = clusterFilter(input)
    const found = call.clusters.in(call.caller.account.id, call.caller.region).filter(fits)
    const clusters = found.map((cluster) => [cluster.id, cluster] as const)
    const { items, next } = pageOfItems(call, input, CLUSTER_PAGES, clusters)
    return { Clusters: items.map(describeCluster), ...(next !== undefined && { NextToken: next }) }
  },
}

/** Filters by name: a cluster passes if each filter lists its value. */
const CLUSTER_FILTERS: Readonly<Record<string, (cluster: SimulatedCluster) => string>> = {
  clusterIds: ({ id }) => id,
  vpcIds: ({ vpcId }) => vpcId,
  states: ({ state }) => state,
}

/** @throws ServiceError CloudHsmInvalidRequestException for an unknown filter */
function clusterFilter(input: Input): (cluster: SimulatedCluster) => boolean {
  const wanted = Object.entries(input.Filters ?? {}).map(([name, values]) => {
    const valueOf = CLUSTER_FILTERS[name]
    if (valueOf === undefined || !Array.isArray(values)) throw validation(`There is no filter ${name}.`)
    return (cluster: SimulatedCluster) => values.includes(valueOf(cluster))
  })
  return (cluster) => wanted.every((fits) => fits(cluster))
}

function describeCluster({ id, state, hsms, vpcId }: SimulatedCluster): object {
  const zones = Array.from({ length: hsms }, (_, n) => String.fromCharCode('a'.charCodeAt(0) + n))
  return {
    ClusterId: id,
    State: state,
    VpcId: vpcId,
    HsmType: 'hsm2m.medium',
    CreateTimestamp: SINCE.getTime() / 1000,
    BackupPolicy: 'DEFAULT',
    SubnetMapping: Object.fromEntries(zones.map((zone) => [zone, `subnet-${zone}`])),
    Hsms: zones.map((zone) => ({
      HsmId: `hsm-${id.slice(-10)}${zone}`,
      ClusterId: id,
      AvailabilityZone: zone,
      State: 'ACTIVE',
    })),
  }
}
