import { Refusal } from '../../base/errors.ts'
import { defined } from '../../base/fields.ts'
import { discovery } from '../../cloud/containers/discovery.ts'
import { everyContainerFor } from '../../cloud/containers/find-container.ts'
import type { Context } from '../../http/context.ts'
import type { Discovered, Search } from '../../work/schedule/discovery/discovered.ts'
import { createKms } from './kms/create-kms.ts'
import { kmsKind } from './kms/kind.ts'
import { CreateCloudAKms } from './kms/model.ts'
import { NAME } from './name.ts'
import { accountBehind, connectionNamed } from './reached.ts'

/** Ours: a connection reaches one account, so the account is the only place. */
const ACCOUNT = 'account'

/** The account behind a connection, or behind the role after it. */
async function accountIn(context: Context, { connection, role: assume_role_arn, regions: wanted }: Search) {
  const role = defined({ assume_role_arn })
  const account = await accountBehind(context, await connectionNamed(context, connection), role)
  const { account_id } = account
  const regions = account.regions.filter((region) => wanted?.includes(region) ?? true)
  if (regions.length === 0)
    throw new Refusal('RULE_BROKEN', `The account ${account_id} may use none of the configuration's regions.`)
  return [{ name: account_id, key: account_id, body: { name: account_id, account_id, connection, regions, ...role } }]
}

/**
 * Accounts become KMS entries that are named by their ids. Ours: an account is known if any entry has it, since people
 * name entries as they like.
 */
export const cloudADiscovered: Discovered = discovery({
  service: NAME,
  kind: kmsKind,
  find: { action: 'ReadCloudAAccount', may: 'keymgr-admins' },
  add: { action: 'CreateCloudAKMS', may: 'keymgr-admins', summary: 'Create Cloud-a KMS' },
  body: CreateCloudAKms,
  verb: (context, body) => createKms(context, body, { auto_added: true }),
  places: () => Promise.resolve([ACCOUNT]),
  containersIn: accountIn,
  isKnown: async ({ caller }, account) =>
    (await everyContainerFor(kmsKind, caller, 'viewnative')).some(({ account_id }) => account_id === account),
})
