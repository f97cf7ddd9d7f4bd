import { Refusal } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import { resourceUri } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { createdStored, ok, operation, route } from '../../../http/operation.ts'
import { assertNameFree, newCommonFields, stageNew } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import { takersOf } from '../store.ts'
import { findIssuer } from './find-issuer.ts'
import { CreateKaclsIssuer, FoundIssuer, KaclsIssuer, KaclsIssuerQuery } from './model.ts'
import { kaclsIssuers } from './store.ts'

const AT = '/v1/keymgr/WorkspaceCSE/issuers'

/**
 * Identity providers, whose tokens identify users to endpoints. Ours: an endpoint copies the fields that it needs, so
 * an issuer that an endpoint names cannot be deleted. An endpoint that adds the issuer at the same time writes the
 * issuer's item: the deletion then runs again.
 */
export const issuers = resource({
  entity: kaclsIssuers,
  noun: 'KACLS issuer',
  title: 'KACLS Issuer',
  at: AT,
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: KaclsIssuer,
  query: KaclsIssuerQuery,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'kacls-issuer', id),
  pointers: { iss: '#/iss' },
  audited: ['name', 'iss', 'jwksURL', 'openidConfigurationURL'],
  release: async ({ caller }, { id, name }) => {
    const { total, names } = await takersOf(caller.domain.id, id)
    if (total === 0) return
    const others = total > names.length ? ` and ${total - names.length} more` : ''
    throw new Refusal('IN_USE', `The KACLS issuer ${name} is used by ${names.join(', ')}${others}.`)
  },
})

/** The provider, found once per request. @throws Refusal NAME_TAKEN, RULE_BROKEN */
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

/**
 * @throws Refusal NAME_TAKEN for the name or the `iss`; RULE_BROKEN for a provider whose tokens could not be verified
 */
async function createFound(context: Context, body: CreateKaclsIssuer): Promise<Stored<KaclsIssuer>> {
  const provider = await found(context, body)
  return stageNew(issuers, context, {
    ...newCommonFields(issuers, context),
    name: body.name,
    ...without(provider, 'keys', 'usable_keys'),
    ...(body.meta && { meta: body.meta }),
  })
}

/** Creates an issuer, or with `dryRun` shows the provider that was found. */
export const createIssuer = route(
  'POST',
  AT,
  operation(
    {
      summary: 'Create KACLS Issuer',
      body: CreateKaclsIssuer,
      answers: KaclsIssuer,
      tries: FoundIssuer,
      status: 201,
      may: 'keymgr-admins',
    },
    async ({ body, context }) =>
      body.dryRun ? ok(await found(context, body)) : createdStored(await createFound(context, body)),
  ),
)
