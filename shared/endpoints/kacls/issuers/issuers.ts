import { Refusal } from '../../../base/errors.ts'
import { picked, without } from '../../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import type { ManagedKind } from '../../../resource/kinds.ts'
import { assertNameFree, getRecord, removeRecord, stageNew } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { takersOf } from '../store.ts'
import { findIssuer } from './find-issuer.ts'
import type { CreateKaclsIssuer, FoundIssuer, KaclsIssuer, KaclsIssuerQuery } from './model.ts'
import { kaclsIssuers } from './store.ts'

const issuers: ManagedKind<KaclsIssuer, ReturnType<typeof kaclsIssuers.row>, KaclsIssuer> = {
  noun: 'KACLS issuer',
  entity: kaclsIssuers,
  pointers: { iss: '#/iss' },
  present: (stored) => stored,
  audited: (issuer) => picked(issuer, 'name', 'iss', 'jwksURL', 'openidConfigurationURL'),
}

export const listIssuers = (context: Context, query: KaclsIssuerQuery): Promise<ResourceList<KaclsIssuer>> =>
  listed(kaclsIssuers, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, iss: query.iss },
    patterns: { name: query.name },
    present: ({ item }) => item,
  })

/** @throws Refusal NOT_FOUND */
export const getIssuer = (context: Context, id: string): Promise<Stored<KaclsIssuer>> => getRecord(issuers, context, id)

/** The provider, found once for a request. @throws Refusal NAME_TAKEN, RULE_BROKEN */
async function found(context: Context, body: CreateKaclsIssuer): Promise<FoundIssuer> {
  await assertNameFree(issuers, context, body.name)
  const provider = await context.once('kacls issuer', () => findIssuer(body))
  const holder = await kaclsIssuers.holder(context.caller.domain.id, 'iss', provider.iss)
  if (holder !== undefined) throw isTaken(body)
  return provider
}

const isTaken = ({ iss }: CreateKaclsIssuer): Refusal => {
  const field = iss === undefined ? 'openidConfigurationURL' : 'iss'
  return new Refusal('NAME_TAKEN', 'The identity provider has another KACLS issuer already.', {
    errors: [{ pointer: `#/${field}`, detail: 'has another KACLS issuer' }],
  })
}

/** The provider that an issuer would be made for. @throws Refusal as `createIssuer` */
export const tryIssuer = found

/** @throws Refusal NAME_TAKEN for the name or the `iss`; RULE_BROKEN for a provider that tokens could not be verified of */
export async function createIssuer(context: Context, body: CreateKaclsIssuer): Promise<Stored<KaclsIssuer>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const provider = await found(context, body)
  const id = uuid(now)
  return stageNew(issuers, context, {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'kacls-issuer', id), now),
    name: body.name,
    ...without(provider, 'keys', 'usable_keys'),
    ...(body.meta && { meta: body.meta }),
  })
}

/**
 * Ours: an endpoint has a copy of what it needs of its issuers, so one that it names stays.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE
 */
export async function deleteIssuer(context: Context, id: string): Promise<void> {
  const domain = context.caller.domain.id
  // An endpoint that takes the issuer at the same time changes it: the removal then runs again.
  await removeRecord(issuers, context, id, async ({ name }) => {
    const { total, names } = await takersOf(domain, id)
    if (total === 0) return
    const others = total > names.length ? ` and ${total - names.length} more` : ''
    throw new Refusal('IN_USE', `The KACLS issuer ${name} is used by ${names.join(', ')}${others}.`)
  })
}
