import type { Context } from '../../http/context.ts'
import type { CommonFields } from '../../base/ids.ts'
import { assertNameFree } from '../../resource/records.ts'
import type { CreateEkmEndpoint } from './model.ts'
import { leadToEndpoint, type StoredEkmEndpoint } from './store.ts'
import { existingEkmKek, newEkmKek } from './kek.ts'
import { ownPolicy } from './policy.ts'
import { ekmEndpointKind } from './records.ts'
import { ensureCertificate } from './session-certificate/certificate.ts'
import { countAtHosts } from './session-certificate/hosts.ts'

/**
 * A new endpoint over an existing local key, or over a newly created one. Ours: a key has at most one endpoint, since
 * an address contains only a version of the key.
 * @throws Refusal NAME_TAKEN, RULE_BROKEN, NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function newEndpoint(
  context: Context,
  body: CreateEkmEndpoint,
  common: CommonFields,
): Promise<StoredEkmEndpoint> {
  const { caller, changes } = context
  const { existing_key_id: reference, raw_policy_enabled: isRaw, policy, ...fields } = body
  const own = await ownPolicy(isRaw, policy, body.endpoint_type, '#/policy')
  await assertNameFree(ekmEndpointKind, context, body.name)
  if (body.endpoint_type === 'ekm-ude') await ensureCertificate(context, body.keyURIHostname)
  const { id } = common
  const kek = await (reference === undefined ? newEkmKek(context, id, body) : existingEkmKek(context, reference, body))
  for (const versionId of kek.versionIds) leadToEndpoint(changes, caller.domain.id, id, versionId)
  const endpoint: StoredEkmEndpoint = {
    ...common,
    ...fields,
    ...own,
    enabled: true,
    kekName: kek.name,
    kekID: kek.id,
    kekVersion: String(kek.version),
    uri_kek_id: kek.id,
    own_key: kek.isNew,
  }
  await countAtHosts(changes, [], [endpoint])
  return endpoint
}
