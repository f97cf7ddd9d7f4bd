import { without } from '../../base/fields.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { existingKek, newKek } from '../../endpoint/kek.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { uriOfEndpoint } from './identifiers.ts'
import type { CreateDkeEndpoint, DkeEndpoint } from './model.ts'
import { DKE_KEK, dkeEndpointKind } from './records.ts'
import { DKE_OWNER } from './store.ts'

/**
 * Creates an endpoint over an existing local key, or over a new one of its own.
 * @throws Refusal NAME_TAKEN, RULE_BROKEN, NOT_FOUND, ACTION_DENIED
 */
export async function createEndpoint(context: Context, body: CreateDkeEndpoint): Promise<Stored<DkeEndpoint>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { existing_key_id: reference, enabled, ...fields } = body
  await assertNameFree(dkeEndpointKind, context, body.name)
  const id = uuid(now)
  const kek = await (reference === undefined
    ? newKek(context, `dke-${id}`, DKE_KEK)
    : existingKek(context, reference, DKE_KEK, body.algorithm))
  leadToEndpoint(changes, DKE_OWNER, domain, id)
  return stageNew(dkeEndpointKind, context, {
    ...without(commonFields(domain, id, uriOfEndpoint(domain, id), now), 'application'),
    ...fields,
    auth_tenants: fields.auth_tenants ?? [],
    status: enabled ? 'Enabled' : 'Disabled',
    source_key_tier: 'local',
    kek_name: kek.name,
    kek_id: kek.id,
    kek_version: String(kek.version),
    own_key: kek.isNew,
  })
}
