import { createHash } from 'node:crypto'
import type { PlatformIdentity } from '../../toolkit/simulator.ts'
import { partitionOf, type CloudName } from './regions.ts'

export interface SimulatedRole {
  readonly name: string
  readonly arn: string
  /** Accounts whose users and roles may assume it. */
  readonly trusts: readonly string[]
  /** If set, callers must present it. */
  readonly externalId?: string
  /** Whether a certificate of the account's trust anchor is sufficient. */
  readonly anywhere?: true
}

/** An account of the simulated cloud. Nothing here is secret: the simulator listens on loopback and holds test keys. */
export interface SimulatedAccount {
  readonly id: string
  readonly cloud_name: CloudName
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** The user of the credentials, with all rights in the account. */
  readonly userArn: string
  /** Names of all users, without path. */
  readonly users: readonly string[]
  readonly roles: readonly SimulatedRole[]
  /** Log groups of each region. */
  readonly logGroups: readonly string[]
}

/** The given part of an account; everything else is derived from it. */
export interface AccountSeed {
  readonly id: string
  readonly cloud_name: CloudName
  readonly roles?: readonly Omit<SimulatedRole, 'arn'>[]
}

const ADMINISTRATOR = 'keymgr-admin'

export const ACCOUNT_SEEDS: readonly AccountSeed[] = [
  {
    id: '111122223333',
    cloud_name: 'cloud-a',
    roles: [
      { name: 'keymgr-operator', trusts: ['111122223333'], anywhere: true },
      { name: 'orders-service', trusts: [] },
    ],
  },
  {
    id: '444455556666',
    cloud_name: 'cloud-a',
    roles: [
      { name: 'keymgr-visitor', trusts: ['111122223333'] },
      { name: 'keymgr-guarded', trusts: ['111122223333', '777788889999'], externalId: 'guarded-5e1c' },
    ],
  },
  { id: '777788889999', cloud_name: 'cloud-a' },
  {
    id: '222233334444',
    cloud_name: 'cloud-a-gov',
    roles: [{ name: 'keymgr-operator', trusts: ['222233334444'], anywhere: true }],
  },
  {
    id: '333344445555',
    cloud_name: 'cloud-a-cn',
    roles: [{ name: 'keymgr-operator', trusts: ['333344445555'], anywhere: true }],
  },
]

export function accountOf({ id, cloud_name, roles = [] }: AccountSeed): SimulatedAccount {
  const { arnName } = partitionOf(cloud_name)
  return {
    id,
    cloud_name,
    credentials: { accessKeyId: `AKIASIMA${id}`, secretAccessKey: `simulated-cloud-a-secret-of-${id}` },
    userArn: `arn:${arnName}:iam::${id}:user/${ADMINISTRATOR}`,
    users: ['alice', 'bob', ADMINISTRATOR],
    roles: roles.map((role) => ({ ...role, arn: `arn:${arnName}:iam::${id}:role/${role.name}` })),
    logGroups: ['/aws/lambda/orders', 'application', trailGroupOf(id)],
  }
}

/** Represents all users and roles of an account. */
export const rootArn = ({ id, cloud_name }: Pick<SimulatedAccount, 'id' | 'cloud_name'>): string =>
  `arn:${partitionOf(cloud_name).arnName}:iam::${id}:root`

const SERVICE_ROLE = 'keymgr-service'
const SERVICE_EXTERNAL_ID = 'keymgr-entry-7f2a'

/**
 * The account of the deployment's functions, with a role for connections without access keys. The role trusts only that
 * account.
 */
export const platformAccountOf = ({ account: id, credentials }: PlatformIdentity): SimulatedAccount => ({
  ...accountOf({
    id,
    cloud_name: 'cloud-a',
    roles: [{ name: SERVICE_ROLE, trusts: [id], externalId: SERVICE_EXTERNAL_ID }],
  }),
  credentials,
})

/** The log group to which an account's trail writes, one in each region. */
export const trailGroupOf = (account: string): string => `trail-${account}`

/** Unique ids of principals: a prefix by kind, then a part derived from the ARN. */
export const principalId = (prefix: 'AIDA' | 'AROA', arn: string): string =>
  prefix + createHash('sha256').update(arn).digest('hex').slice(0, 17).toUpperCase()

/** An id in the form of a UUID of version 4, the same for the same text. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
