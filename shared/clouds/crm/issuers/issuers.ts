import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { resourceUri } from '../../../base/ids.ts'
import { assertRules } from '../../../cloud/connections/kind.ts'
import type { Context } from '../../../http/context.ts'
import { resource } from '../../../resource/resource.ts'
import { crmEndpoints, endpointsOfIssuer } from '../key-endpoints/store.ts'
import { findIssuer, type FoundIssuer, type WantedIssuer } from './find-issuer.ts'
import { CreateCrmIssuer, CrmIssuer, CrmIssuerQuery, ISSUER_RULES, UpdateCrmIssuer } from './model.ts'
import { crmIssuers } from './store.ts'

/** The provider, read once per request. @throws Refusal RULE_BROKEN */
const found = (context: Context, wanted: WantedIssuer): Promise<FoundIssuer> =>
  context.once(`crm issuer ${wanted.openid_config_url ?? wanted.jwks_uri ?? ''}`, () => findIssuer(wanted, context.now))

/** How an issuer is found after a change: a document, or its own fields. */
function wantedAfter(record: CrmIssuer, body: WantedIssuer): WantedIssuer {
  if (body.openid_config_url !== undefined) return { openid_config_url: body.openid_config_url }
  const isByDocument = record.openid_config_url !== undefined
  const isOwn = body.issuer !== undefined || body.jwks_uri !== undefined || body.certificate !== undefined
  if (isByDocument && !isOwn) return { openid_config_url: record.openid_config_url }
  const { issuer = record.issuer } = body
  if (body.certificate !== undefined) return { issuer, certificate: body.certificate }
  if (body.jwks_uri !== undefined) return { issuer, jwks_uri: body.jwks_uri }
  return { issuer, ...defined({ jwks_uri: record.jwks_uri, certificate: record.certificate }) }
}

/** Identity providers that issue the tokens with which the cloud fetches keys. */
export const issuers = resource({
  entity: crmIssuers,
  noun: 'crm issuer',
  title: 'Crm Issuer',
  at: '/v1/keymgr/crm/issuers',
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: CrmIssuer,
  query: CrmIssuerQuery,
  createBody: CreateCrmIssuer,
  updateBody: UpdateCrmIssuer,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'crm-issuer', id),
  audited: ['name', 'issuer', 'jwks_uri', 'openid_config_url', 'certificate', 'audience', 'scope_required'],
  make: async (context, body, common): Promise<CrmIssuer> => ({
    ...common,
    ...defined(body),
    ...(await found(context, body)),
  }),
  next: async (context, record, body): Promise<CrmIssuer> => {
    const { issuer, jwks_uri, openid_config_url, certificate, ...other } = body
    const wanted = wantedAfter(record, { issuer, jwks_uri, openid_config_url, certificate })
    assertRules(ISSUER_RULES, { ...wanted })
    const kept = patched(without(record, 'issuer', 'jwks_uri', 'openid_config_url', 'certificate'), other)
    return { ...kept, ...defined({ ...wanted }), ...(await found(context, wanted)) }
  },
  release: async ({ caller }, { id, name }) => {
    const { length } = await crmEndpoints.members(caller.domain.id, endpointsOfIssuer(id))
    if (length > 0)
      throw new Refusal('IN_USE', `${counted(length, 'key endpoint')} must be deleted first: their issuer is ${name}.`)
  },
})
