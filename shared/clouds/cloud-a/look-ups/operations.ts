import { lookUp } from '../../../resource/routes.ts'
import type { Route } from '../../../http/operation.ts'
import * as bodies from '../kms/model.ts'
import { isAliasFree, readAccount, readLogGroups, readRegions, readRoles, readUsers } from './look-ups.ts'

const BASE = '/v1/keymgr/cloud-a'
const { CloudAAccount, IdentityRoles, IdentityUsers, LogGroups, ReadAccount, ReadIdentities, ReadLogGroups } = bodies

/** An account as the cloud describes it; nothing is stored. */
export const accountRoutes: readonly Route[] = [
  lookUp(`${BASE}/accounts`, 'Read Cloud-a Account', 'keymgr-admins', ReadAccount, CloudAAccount, readAccount),
  lookUp(
    `${BASE}/get-all-regions`,
    'Get Cloud-a Regions',
    'keymgr-admins',
    bodies.ReadRegions,
    bodies.AllRegions,
    async (context, { connection }) => ({ regions: await readRegions(context, connection) }),
  ),
  lookUp(`${BASE}/get-iam-users`, 'Get Cloud-a IAM Users', 'keymgr-users', ReadIdentities, IdentityUsers, readUsers),
  lookUp(`${BASE}/get-iam-roles`, 'Get Cloud-a IAM Roles', 'keymgr-users', ReadIdentities, IdentityRoles, readRoles),
  lookUp(`${BASE}/get-log-groups`, 'Get Cloud-a Log Groups', 'keymgr-users', ReadLogGroups, LogGroups, readLogGroups),
  lookUp(
    `${BASE}/alias/verify`,
    'Verify Cloud-a Alias',
    'keymgr-users',
    bodies.VerifyAlias,
    bodies.AliasAvailable,
    async (context, body) => ({ available: await isAliasFree(context, body) }),
  ),
]
