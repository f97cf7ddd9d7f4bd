import { Refusal, ruleBroken } from '../../base/errors.ts'
import { later, MINUTE_MS } from '../../base/time.ts'
import { findContainer } from '../../cloud/containers/find-container.ts'
import type { Context } from '../../http/context.ts'
import { durationMs } from '../../work/schedule/configs/durations.ts'
import type { KeyRotationParams } from '../../work/schedule/configs/params.ts'
import type { NamedKey, Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { crmCertificateRecords } from './certificates/store.ts'
import { rotateSecret } from './keys/rotate-secret.ts'
import { activeOf, crmSecrets, type CrmSecretRow, type StoredCrmSecret } from './keys/store.ts'
import { organizationKind } from './organizations/kind.ts'
import { crmOrganizations, organizationsNamed, type StoredCrmOrganization } from './organizations/store.ts'
import { leastMs, periodOf } from './intervals.ts'
import type { CrmKeyType } from './param.ts'
import { RotationParam } from './rotation-param.ts'

/** Seconds of an organization's quota that a rotation uses: a few reads and a write. */
const ROTATION_SECONDS = 1
const ALWAYS_DUE = new Date(0).toISOString()
const PARAM = '#/keymgr_key_rotation_params/crm_param'

const paramOf = ({ crm_param }: Partial<KeyRotationParams>): RotationParam => RotationParam.parse(crm_param ?? {})
const refused = (field: string, detail: string): Refusal => ruleBroken(field, detail, `${PARAM}/${field}`)

/** The organization of the parameters, by id, name or the cloud's id. */
async function organizationOf(domain: string, { organization_id: named = '' }: RotationParam) {
  const byId = await crmOrganizations.get(domain, named)
  if (byId !== undefined) return byId.item
  const [stored, another] = await crmOrganizations.getMany(domain, await organizationsNamed(domain, named))
  return another === undefined ? stored?.item : undefined
}

/** @throws Refusal RULE_BROKEN */
function assertRules({ organization_id, key_type, key_source = 'native', ...param }: RotationParam): void {
  if (organization_id === undefined) throw refused('organization_id', 'is required')
  if (key_type === undefined) throw refused('key_type', 'is required')
  if (new Set(key_type).size < key_type.length) throw refused('key_type', 'must not name a type twice')
  const isNative = key_source === 'native'
  if (!isNative && param.certificate_id === undefined) throw refused('certificate_id', 'is required for keymgr')
  if (isNative && param.certificate_id !== undefined) throw refused('certificate_id', 'is only for keymgr')
  if (isNative && param.key_derivation_mode !== undefined) throw refused('key_derivation_mode', 'is only for keymgr')
}

/** @throws Refusal NOT_FOUND, NAME_TAKEN for a name that several organizations have, RULE_BROKEN */
async function check(context: Context, params: Partial<KeyRotationParams>): Promise<void> {
  const param = paramOf(params)
  assertRules(param)
  const domain = context.caller.domain.id
  const field = { pointer: `${PARAM}/organization_id`, detail: 'is no organization that you may see' }
  const { item: organization } = await findContainer(organizationKind, context, param.organization_id ?? '', field)
  if (param.certificate_id === undefined) return
  const certificate = await crmCertificateRecords.get(domain, param.certificate_id)
  if (certificate?.item.organization_id !== organization.id)
    throw new Refusal('NOT_FOUND', 'The organization has no such certificate.', {
      errors: [{ pointer: `${PARAM}/certificate_id`, detail: 'is no certificate of the organization' }],
    })
}

/** The active secret of a type, as this service last read it. */
async function activeSecret(domain: string, organization: string, type: string): Promise<StoredCrmSecret | undefined> {
  const ids = await crmSecrets.members(domain, activeOf(organization, type))
  return (await crmSecrets.getMany(domain, ids, 'leave out'))[0]?.item
}

/** Ours: a type without an active secret on record is rotated too, so that it gets one. */
const factsOf = ({ createdAt }: StoredCrmOrganization, active: StoredCrmSecret | undefined) => ({
  live: active?.crm_param.source !== 'REMOTE', // a cache-only key has no successor of this kind
  createdAt: active?.crm_param.created_date ?? active?.createdAt ?? createdAt,
  ...(active?.expires_at !== undefined && { validTo: active.expires_at }),
})

const SEPARATOR = '/'

/** Ours: if the organization is deleted or its name is ambiguous, the run fails for each type. */
const unfound = (reference: string, type: CrmKeyType): NamedKey => ({
  facts: { live: true, createdAt: ALWAYS_DUE, validTo: ALWAYS_DUE },
  plan: planOf(reference, reference, type),
})

const planOf = (id: string, name: string, type: CrmKeyType): NamedKey['plan'] => ({
  resource_id: `${id}${SEPARATOR}${type}`,
  resource_name: type,
  container: name,
  quotaGroup: id,
  seconds: ROTATION_SECONDS,
})

/** Secrets of crm: a configuration names an organization and types of data. Each type gets a new secret. */
export const crmRotated: Rotated<StoredCrmSecret, CrmSecretRow> = {
  entity: crmSecrets,
  facts: ({ gone, createdAt }) => ({ live: !gone, createdAt }),
  plan: ({ name, organization_name, organization_id }) => ({
    resource_name: name,
    container: organization_name,
    quotaGroup: organization_id,
    seconds: ROTATION_SECONDS,
  }),
  single: () => ({ action: 'CreateCrmTenantSecret', may: 'keymgr-users' }),
  rotate: () => Promise.reject(new Error('Tenant secrets do not join configurations')),
  named: {
    check,
    find: async (domain, params) => {
      const param = paramOf(params)
      const organization = await organizationOf(domain, param)
      const { key_type: types = [], organization_id: reference = '' } = param
      if (organization === undefined) return types.map((type) => unfound(reference, type))
      return Promise.all(
        types.map(async (type) => ({
          facts: factsOf(organization, await activeSecret(domain, organization.id, type)),
          plan: planOf(organization.id, organization.name, type),
        })),
      )
    },
    warnings: async (domain, params, spacingMinutes) => {
      const param = paramOf(params)
      const organization = await organizationOf(domain, param)
      if (organization === undefined || params.expire_in !== undefined) return [] // then not every run rotates
      return (param.key_type ?? [])
        .filter((type) => spacingMinutes * MINUTE_MS < leastMs(type, organization))
        .map((type) => `The cloud accepts one secret of ${type} in ${periodOf(leastMs(type, organization))}.`)
    },
    single: (params) => ({
      action: paramOf(params).key_source === 'keymgr' ? 'UploadCrmTenantSecret' : 'CreateCrmTenantSecret',
      may: 'keymgr-users',
    }),
    rotate: async (context, resourceId, params) => {
      const at = resourceId.lastIndexOf(SEPARATOR) // a name may contain it
      const [organization, type] = [resourceId.slice(0, at), resourceId.slice(at + 1)]
      const { expiration } = params
      const expires_at = expiration === undefined ? undefined : later(context.now, durationMs(expiration)).toISOString()
      return rotateSecret(context, organization, type as CrmKeyType, paramOf(params), expires_at)
    },
  },
}
