import { counted } from '../../../base/counted.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { resourceUri } from '../../../base/ids.ts'
import { assertRules } from '../../../cloud/connections/kind.ts'
import type { Context } from '../../../http/context.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { resource } from '../../../resource/resource.ts'
import { NAMED_MOST } from '../../../vault/keys/lifecycle/key-users.ts'
import { cloudDVaults, vaultsOfIssuer } from '../vaults/store.ts'
import { findIssuer, type FoundIssuer, type WantedIssuer } from './find-issuer.ts'
import {
  CloudDIssuer,
  CloudDIssuerQuery,
  CreateCloudDIssuer,
  ISSUER_RULES,
  UpdateCloudDIssuer,
  type CloudDIssuer as Shown,
} from './model.ts'
import { secretPurpose } from './secret-purpose.ts'
import { cloudDIssuers, type StoredCloudDIssuer } from './store.ts'

/** The provider, read once per request. @throws Refusal RULE_BROKEN */
const found = (context: Context, wanted: WantedIssuer, savedFor?: StoredCloudDIssuer): Promise<FoundIssuer> =>
  context.once(`cloud-d issuer ${wanted.openid_config_url ?? ''}`, () => findIssuer(wanted, savedFor))

const sealed = (domain: string, id: string, secret: string | undefined): Promise<string | undefined> =>
  secret === undefined ? Promise.resolve(undefined) : sealFor(domain, secretPurpose({ id }), Buffer.from(secret))

/** The client secret of a record. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export const secretOf = async (domain: string, issuer: StoredCloudDIssuer): Promise<string | undefined> =>
  issuer.sealed === undefined
    ? undefined
    : (await openFor(domain, secretPurpose(issuer), issuer.sealed)).toString('utf8')

/** The issuer that the change would result in. */
async function changed(
  domain: string,
  record: StoredCloudDIssuer,
  { client_secret, ...body }: Omit<UpdateCloudDIssuer, 'name'>,
): Promise<WantedIssuer> {
  const isByDocument =
    body.openid_config_url !== undefined || (record.openid_config_url !== undefined && body.issuer === undefined)
  const { issuer, jwks_uri, openid_config_url, ...before } = record
  const place = isByDocument ? { openid_config_url } : { issuer, jwks_uri }
  return patched<WantedIssuer>(
    { ...before, ...place, client_secret: client_secret ?? (await secretOf(domain, record)) },
    body,
  )
}

/** @throws Refusal IN_USE while an external vault trusts the issuer, naming some of them */
async function assertUnused({ caller }: Context, { id }: StoredCloudDIssuer): Promise<void> {
  const domain = caller.domain.id
  const users = await cloudDVaults.members(domain, vaultsOfIssuer(id))
  if (users.length === 0) return
  const named = await cloudDVaults.getMany(domain, users.slice(0, NAMED_MOST), 'leave out')
  const names = named.map(({ item }) => item.display_name).join(', ')
  throw new Refusal('IN_USE', `${counted(users.length, 'external vault')} trust this issuer: ${names}.`)
}

/** Identity providers that issue the tokens of the cloud's calls to an external vault. */
export const issuers = resource({
  entity: cloudDIssuers,
  noun: 'cloud-d issuer',
  title: 'Cloud-d Issuer',
  at: '/v1/keymgr/cloud-d/issuers',
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: CloudDIssuer,
  query: CloudDIssuerQuery,
  createBody: CreateCloudDIssuer,
  updateBody: UpdateCloudDIssuer,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'cloud-d-issuer', id),
  audited: ['name', 'issuer', 'jwks_uri', 'openid_config_url', 'jwks_uri_protected', 'client_id'],
  release: assertUnused,
  present: (record): Shown => without(record, 'client_id', 'token_endpoint', 'sealed'),
  make: async (context, body, common): Promise<StoredCloudDIssuer> => {
    const { client_secret, ...fields } = body
    const provider = await found(context, body)
    const secret = await sealed(context.caller.domain.id, common.id, client_secret)
    return { ...common, ...defined(fields), ...provider, ...defined({ sealed: secret }) }
  },
  next: async (context, record, { name = record.name, ...body }): Promise<StoredCloudDIssuer> => {
    const domain = context.caller.domain.id
    const wanted = await changed(domain, record, body)
    assertRules(ISSUER_RULES, { ...wanted })
    const { client_secret, openid_config_url, client_id, jwks_uri_protected } = wanted
    const isSaved = body.client_secret === undefined && record.sealed !== undefined
    if (isSaved && client_id !== record.client_id)
      throw ruleBroken('client_secret', 'must be given again when client_id changes')
    const provider = await found(
      context,
      wanted,
      isSaved && openid_config_url !== record.openid_config_url ? record : undefined,
    )
    const secret = body.client_secret === undefined ? record.sealed : await sealed(domain, record.id, client_secret)
    const rest = without(record, 'openid_config_url', 'token_endpoint')
    return {
      ...rest,
      name,
      jwks_uri_protected,
      ...provider,
      ...defined({ client_id, openid_config_url, sealed: secret }),
    }
  },
})
