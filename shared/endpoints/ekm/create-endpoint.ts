import type { Context } from '../../http/context.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import { assertNameFree, stageNew } from '../../resource/records.ts'
import type { CreateEkmEndpoint, EkmEndpoint } from './model.ts'
import { leadToEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { existingEkmKek, newEkmKek } from './kek.ts'
import { ownPolicy } from './policy.ts'
import { uriOfEndpoint } from './identifiers.ts'
import { ekmEndpointKind } from './records.ts'

/**
 * Creates an endpoint over an existing local key, or over a new one of its own. Ours: a key has at most one endpoint,
 * since an address names a version of the key and nothing else.
 * @throws Refusal NAME_TAKEN, RULE_BROKEN, NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function createEndpoint(context: Context, body: CreateEkmEndpoint): Promise<Stored<EkmEndpoint>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { existing_key_id: reference, raw_policy_enabled: isRaw, policy, ...fields } = body
  const own = await ownPolicy(isRaw, policy, body.endpoint_type, '#/policy')
  await assertNameFree(ekmEndpointKind, context, body.name)
  const id = uuid(now)
  const kek = await (reference === undefined ? newEkmKek(context, id, body) : existingEkmKek(context, reference, body))
  for (const versionId of kek.versionIds) leadToEndpoint(changes, domain, id, versionId)
  return stageNew(ekmEndpointKind, context, {
    ...commonFields(domain, id, uriOfEndpoint(domain, id), now),
    ...fields,
    ...own,
    enabled: true,
    kekName: kek.name,
    kekID: kek.id,
    kekVersion: String(kek.version),
    uri_kek_id: kek.id,
    own_key: kek.isNew,
  })
}
