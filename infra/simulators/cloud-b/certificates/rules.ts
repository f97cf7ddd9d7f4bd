import { flagAt, isObject, numberAt, objectAt, textAt, textsAt, type Body } from '../wire/body.ts'
import type { Vault } from '../directory/directory.ts'
import { badParameter } from '../wire/errors.ts'
import { requireKty, requireSpec } from '../keys/key-rules.ts'
import type { KeySpec } from '../keys/key-specs.ts'
import { subjectIn, type CertificateContent } from './x509.ts'

export const PKCS12 = 'application/x-pkcs12'
export const PEM = 'application/x-pem-file'
const SERVER_AND_CLIENT = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']
const USUAL_USES = ['digitalSignature', 'keyEncipherment']
const MONTHS = { standard: 12, most: 1200 }

/** A policy with its defaults, in the members of the wire. */
export interface Policy {
  readonly spec: KeySpec
  readonly exportable: boolean
  readonly reuseKey: boolean
  readonly contentType: string
  readonly content: CertificateContent
  readonly months: number
  readonly issuer: string
  readonly lifetimeActions: readonly unknown[]
}

/** @throws ApiError BadParameter */
export function policyIn(vault: Vault, policy: Body): Policy {
  const key = objectAt(policy, 'key_props') ?? {}
  const kty = requireKty(vault, textAt(key, 'kty') ?? 'RSA')
  const spec = requireSpec(kty, { bits: numberAt(key, 'key_size'), crv: textAt(key, 'crv') })
  const contentType = textAt(objectAt(policy, 'secret_props') ?? {}, 'contentType') ?? PKCS12
  if (contentType !== PKCS12 && contentType !== PEM)
    throw badParameter(`Content type '${contentType}' is not supported.`)
  const x509 = objectAt(policy, 'x509_props') ?? {}
  const months = numberAt(x509, 'validity_months') ?? MONTHS.standard
  if (months < 1 || months > MONTHS.most) throw badParameter(`validity_months must be between 1 and ${MONTHS.most}.`)
  const actions = policy.lifetime_actions
  return {
    spec,
    exportable: flagAt(key, 'exportable') ?? true,
    reuseKey: flagAt(key, 'reuse_key') ?? false,
    contentType,
    content: contentIn(x509),
    months,
    issuer: textAt(objectAt(policy, 'issuer') ?? {}, 'name') ?? 'Unknown',
    lifetimeActions: Array.isArray(actions) ? actions.filter(isObject) : [],
  }
}

function contentIn(x509: Body): CertificateContent {
  const sans = objectAt(x509, 'sans') ?? {}
  const subject = textAt(x509, 'subject') ?? ''
  const content = {
    subject,
    dnsNames: textsAt(sans, 'dns_names') ?? [],
    emails: textsAt(sans, 'emails') ?? [],
    keyUsage: textsAt(x509, 'key_usage') ?? USUAL_USES,
    ekus: textsAt(x509, 'ekus') ?? SERVER_AND_CLIENT,
  }
  if (subject !== '') subjectIn(subject)
  return content
}

const PARTS = ['key_props', 'secret_props', 'x509_props', 'issuer'] as const

/** A policy in which the members of a PATCH replace those of the present one, part by part. @throws ApiError BadParameter */
export function policyChanged(vault: Vault, present: Policy, change: Body): Policy {
  const whole = describePolicy('', present) as Body
  const parts = PARTS.map((part) => [part, { ...objectAt(whole, part), ...objectAt(change, part) }] as const)
  const { key_props: key = {}, ...others } = Object.fromEntries(parts)
  const given = objectAt(change, 'key_props') ?? {}
  // another kind of key does not keep the size or curve of the former
  const { key_size, crv, ...kept } = key
  const isSame = given.kty === undefined || given.kty === key.kty
  const size = isSame ? { key_size, crv, ...given } : { key_size: given.key_size, crv: given.crv }
  return policyIn(vault, { ...whole, ...change, ...others, key_props: { ...kept, ...size } })
}

/** @throws ApiError BadParameter for a policy without any kind of subject */
export function requireSubject({ content: { subject, dnsNames, emails } }: Policy): void {
  if (subject === '' && dnsNames.length + emails.length === 0)
    throw badParameter('The policy needs a subject or a subject alternative name.')
}

/** @param id of the policy */
export const describePolicy = (
  id: string,
  { spec, exportable, reuseKey, contentType, content, months, issuer, lifetimeActions }: Policy,
): object => ({
  id,
  key_props: {
    exportable,
    kty: spec.kty,
    ...(spec.bits !== undefined && { key_size: spec.bits }),
    ...(spec.crv !== undefined && { crv: spec.crv }),
    reuse_key: reuseKey,
  },
  secret_props: { contentType },
  x509_props: {
    subject: content.subject,
    sans: { dns_names: content.dnsNames, emails: content.emails },
    ekus: content.ekus,
    key_usage: content.keyUsage,
    validity_months: months,
  },
  lifetime_actions:
    lifetimeActions.length > 0
      ? lifetimeActions
      : [{ trigger: { lifetime_percentage: 80 }, action: { action_type: 'AutoRenew' } }],
  issuer: { name: issuer },
  attributes: { enabled: true },
})
