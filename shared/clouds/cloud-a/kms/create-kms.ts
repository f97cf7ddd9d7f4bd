import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField, nameTaken } from '../../../base/errors.ts'
import type { CloudAKms, CreateCloudAKms } from './model.ts'
import { cloudAKms, type StoredCloudAKms } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { patched } from '../../../base/fields.ts'
import { newContainer } from '../../../cloud/containers/connection.ts'
import { addContainer } from '../../../cloud/containers/change-container.ts'
import { connectionNamed, proveAccount, unknownRegions, type AccountBehind } from '../reached.ts'
import { kmsKind } from './kind.ts'

const taken = (name: string): Refusal => nameTaken('KMS entry', name)

/** By default, the account must be the connection's. With a role it is the role's account, which may be another one. */
function assertReached(account: AccountBehind, { account_id, regions, assume_role_arn }: CreateCloudAKms): void {
  const way = assume_role_arn === undefined ? 'connection' : 'role'
  const errors: BrokenField[] = unknownRegions(account, regions)
  if (account.account_id !== account_id)
    errors.unshift({ pointer: '#/account_id', detail: `must be ${account.account_id}, to which the ${way} leads` })
  if (errors.length === 0) return
  const reasons = errors.map((error) => `${'pointer' in error ? error.pointer : error.parameter} ${error.detail}`)
  throw new Refusal(
    'RULE_BROKEN',
    `The ${way} does not give access to the requested account or regions: ${reasons.join('; ')}.`,
    { errors },
  )
}

/**
 * Creates an entry for an account and some of its regions, after a call verified that the connection leads there. No
 * key is read yet. @throws Refusal NAME_TAKEN, NOT_FOUND for the connection, RULE_BROKEN, CLOUD_…
 */
export async function createKms(
  context: Context,
  body: CreateCloudAKms,
  { auto_added }: Pick<CloudAKms, 'auto_added'> = { auto_added: false },
): Promise<Stored<CloudAKms>> {
  const { caller, now } = context
  const domain = caller.domain.id
  if ((await cloudAKms.holder(domain, 'name', body.name)) !== undefined) throw taken(body.name)
  const connection = await connectionNamed(context, body.connection)
  const account = await proveAccount(context, connection, body)
  assertReached(account, body)
  const base: StoredCloudAKms = {
    ...newContainer(domain, 'cloud-a-kms', connection.item, now),
    name: body.name,
    account_id: body.account_id,
    arn: account.arn,
    regions: body.regions,
    status: 'active',
    auto_added,
    synchronized: {},
  }
  const { assume_role_arn, assume_role_external_id } = body
  const kms = patched(base, { assume_role_arn, assume_role_external_id })
  return addContainer(kmsKind, context, kms, taken)
}
