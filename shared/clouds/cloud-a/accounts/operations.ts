import { lookUp } from '../../../cloud/operations-on.ts'
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
export const account = lookUp('Read Cloud-a Account', 'keymgr-admins', ReadAccount, CloudAAccount, readAccount)

/** POST /v1/keymgr/cloud-a/get-all-regions: asks the cloud, stores nothing. */
export const allRegions = lookUp(
  'Get Cloud-a Regions',
  'keymgr-admins',
  ReadRegions,
  AllRegions,
  async (context, { connection }) => ({ regions: await readRegions(context, connection) }),
)

/** POST /v1/keymgr/cloud-a/get-iam-users */
export const iamUsers = lookUp('Get Cloud-a IAM Users', 'keymgr-users', ReadIdentities, IdentityUsers, readUsers)

/** POST /v1/keymgr/cloud-a/get-iam-roles */
export const iamRoles = lookUp('Get Cloud-a IAM Roles', 'keymgr-users', ReadIdentities, IdentityRoles, readRoles)

/** POST /v1/keymgr/cloud-a/get-log-groups */
export const logGroups = lookUp('Get Cloud-a Log Groups', 'keymgr-users', ReadLogGroups, LogGroups, readLogGroups)

/** POST /v1/keymgr/cloud-a/alias/verify */
export const verifyAlias = lookUp(
  'Verify Cloud-a Alias',
  'keymgr-users',
  VerifyAlias,
  AliasAvailable,
  async (context, body) => ({ available: await isAliasFree(context, body) }),
)
