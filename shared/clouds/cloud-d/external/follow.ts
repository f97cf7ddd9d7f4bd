import { HOSTED_USAGE } from '../../../cloud/keys/hosted-source.ts'
import { assertGoesOn } from '../../../endpoint/endpoint-key.ts'
import type { KeyUser } from '../../../vault/keys/lifecycle/key-users.ts'
import { cloudDKeys, keysOver } from '../keys/store.ts'
import { isExternalKey } from './external.ts'
import { stageVersion } from './versions.ts'

/**
 * The external keys over a local key get a version over its new one. The cloud uses it after a rotation there.
 * @throws Refusal RULE_BROKEN for a version that an external key could not use
 */
export const followLocalKey: NonNullable<KeyUser['follow']> = async (context, former, next) => {
  const domain = context.caller.domain.id
  const ids = await cloudDKeys.members(domain, keysOver(next.name))
  for (const { item, rev } of await cloudDKeys.getMany(domain, ids)) {
    if (!isExternalKey(item)) continue
    const { display_name: name } = item.cloud_d_params
    assertGoesOn({ noun: 'external key', name, usage: HOSTED_USAGE }, former, next)
    await stageVersion(context, { item, rev }, next)
  }
}
