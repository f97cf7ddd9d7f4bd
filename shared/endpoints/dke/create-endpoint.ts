import { without } from '../../base/fields.ts'
import type { CommonFields } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { existingKek, newKek } from '../../endpoint/kek.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree } from '../../resource/records.ts'
import type { CreateDkeEndpoint } from './model.ts'
import { DKE_KEK, dkeEndpointKind } from './records.ts'
import { DKE_OWNER, type StoredDkeEndpoint } from './store.ts'

/**
 * A new endpoint over an existing local key, or over a newly created one.
 * @throws Refusal NAME_TAKEN, RULE_BROKEN, NOT_FOUND, ACTION_DENIED
 */
export async function newEndpoint(
  context: Context,
  body: CreateDkeEndpoint,
  common: CommonFields,
): Promise<StoredDkeEndpoint> {
  const { existing_key_id: reference, enabled, ...fields } = body
  await assertNameFree(dkeEndpointKind, context, body.name)
  const kek = await (reference === undefined
    ? newKek(context, `dke-${common.id}`, DKE_KEK)
    : existingKek(context, reference, DKE_KEK, body.algorithm))
  leadToEndpoint(context.changes, DKE_OWNER, context.caller.domain.id, common.id)
  return {
    ...without(common, 'application'),
    ...fields,
    auth_tenants: fields.auth_tenants ?? [],
    status: enabled ? 'Enabled' : 'Disabled',
    source_key_tier: 'local',
    kek_name: kek.name,
    kek_id: kek.id,
    kek_version: String(kek.version),
    own_key: kek.isNew,
  }
}
