import { ok, operation } from '../../../http/operation.ts'
import {
  AliasAvailable,
  AllRegions,
  CloudAAccount,
  IdentityRoles,
  IdentityUsers,
  LogGroups,
  ReadAccount,
  ReadIdentities,
  ReadLogGroups,
  ReadRegions,
  VerifyAlias,
} from '../kms/model.ts'
import { isAliasFree, readAccount, readLogGroups, readRegions, readRoles, readUsers } from './accounts.ts'

/** POST /v1/keymgr/cloud-a/accounts: asks the cloud, stores nothing. */
export const account = operation(
  {
    summary: 'Read Cloud-a Account',
    body: ReadAccount,
    answers: CloudAAccount,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok(await readAccount(context, body)),
)

/** POST /v1/keymgr/cloud-a/get-all-regions: asks the cloud, stores nothing. */
export const allRegions = operation(
  {
    summary: 'Get Cloud-a Regions',
    body: ReadRegions,
    answers: AllRegions,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok({ regions: await readRegions(context, body.connection) }),
)

/** POST /v1/keymgr/cloud-a/get-iam-users */
export const iamUsers = operation(
  {
    summary: 'Get Cloud-a IAM Users',
    body: ReadIdentities,
    answers: IdentityUsers,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readUsers(context, body)),
)

/** POST /v1/keymgr/cloud-a/get-iam-roles */
export const iamRoles = operation(
  {
    summary: 'Get Cloud-a IAM Roles',
    body: ReadIdentities,
    answers: IdentityRoles,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readRoles(context, body)),
)

/** POST /v1/keymgr/cloud-a/get-log-groups */
export const logGroups = operation(
  {
    summary: 'Get Cloud-a Log Groups',
    body: ReadLogGroups,
    answers: LogGroups,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readLogGroups(context, body)),
)

/** POST /v1/keymgr/cloud-a/alias/verify */
export const verifyAlias = operation(
  {
    summary: 'Verify Cloud-a Alias',
    body: VerifyAlias,
    answers: AliasAvailable,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok({ available: await isAliasFree(context, body) }),
)
