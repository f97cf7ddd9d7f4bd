import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import type { CreateEkmEndpoint, EkmEndpoint } from './model.ts'
import { ekmEndpoints, leadToEndpoint, type StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { existingKek, newKek } from './kek.ts'
import { ownPolicy } from './policy.ts'
import { uriOfEndpoint } from './identifiers.ts'
import { presentEndpoint, tellOf } from './records.ts'

function taken(kind: string, value: string): Refusal {
  const isName = kind === 'name'
  return new Refusal(
    'NAME_TAKEN',
    isName ? `There is an EKM endpoint named "${value}" already.` : `There is an EKM endpoint over ${value} already.`,
    { errors: [{ pointer: isName ? '#/name' : '#/existing_key_id', detail: isName ? 'is taken' : 'has an endpoint' }] },
  )
}

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
  // Checked before a key is made, which may take seconds.
  if ((await ekmEndpoints.holder(domain, 'name', body.name)) !== undefined) throw taken('name', body.name)
  const id = uuid(now)
  const kek = reference === undefined ? await newKek(context, id, body) : await existingKek(context, reference, body)
  const endpoint: StoredEkmEndpoint = {
    ...commonFields(domain, id, uriOfEndpoint(domain, id), now),
    ...fields,
    ...own,
    enabled: true,
    kekName: kek.name,
    kekID: kek.id,
    kekVersion: String(kek.version),
    uri_kek_id: kek.id,
    own_key: kek.isNew,
  }
  changes.create(ekmEndpoints, domain, endpoint, taken)
  for (const versionId of kek.versionIds) leadToEndpoint(changes, domain, id, versionId)
  tellOf(context, undefined, endpoint)
  return presentEndpoint({ item: endpoint, rev: 1 })
}
