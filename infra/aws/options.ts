import * as z from 'zod'
import { namesOf } from '../../shared/base/fields.ts'

const KeyArn = z
  .string()
  .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/.+$/, 'must be the address of a key (arn:...:kms:...:key/...)')

const Share = z.string().regex(/^(none|[1-9]\d{0,4})$/, 'must be a number of executions, or none')

/** Options of a deployment: `-c <name>=...` of the CDK, or environment variables. */
const OPTIONS = {
  account: { variable: 'CDK_DEFAULT_ACCOUNT', schema: z.string().regex(/^\d{12}$/, 'must be twelve digits') },
  region: { variable: 'CDK_DEFAULT_REGION', schema: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must name a region') },
  domainName: { variable: 'KEYMGR_DOMAIN_NAME', schema: z.hostname('must be a host name') },
  certificateArn: {
    variable: 'KEYMGR_CERTIFICATE_ARN',
    schema: z.string().regex(/^arn:[^:]+:acm:/, 'must be the address of a certificate (arn:...:acm:...)'),
  },
  mutualTlsDomainName: { variable: 'KEYMGR_MTLS_DOMAIN_NAME', schema: z.hostname('must be a host name') },
  mutualTlsCertificateArn: {
    variable: 'KEYMGR_MTLS_CERTIFICATE_ARN',
    schema: z.string().regex(/^arn:[^:]+:acm:/, 'must be the address of a certificate (arn:...:acm:...)'),
  },
  mutualTlsTrustStore: {
    variable: 'KEYMGR_MTLS_TRUST_STORE',
    schema: z.string().regex(/^s3:\/\/[a-z0-9.-]{3,63}\/.+$/, 'must be the address of an object (s3://bucket/key)'),
  },
  baseUrl: {
    variable: 'KEYMGR_BASE_URL',
    schema: z.string().regex(/^https:\/\/[^/?#]+$/, 'must be https://host, without a path'),
  },
  tableName: {
    variable: 'KEYMGR_ADOPTED_TABLE',
    schema: z.string().regex(/^[A-Za-z0-9_.-]{3,255}$/, 'must be the name of a table'),
  },
  tableKeyArn: { variable: 'KEYMGR_ADOPTED_TABLE_KEY', schema: KeyArn },
  rootKeyArn: { variable: 'KEYMGR_ADOPTED_ROOT_KEY', schema: KeyArn },
  bucketName: {
    variable: 'KEYMGR_ADOPTED_BUCKET',
    schema: z.string().regex(/^[a-z0-9.-]{3,63}$/, 'must be the name of a bucket'),
  },
  busName: {
    variable: 'KEYMGR_ADOPTED_BUS',
    schema: z.string().regex(/^[A-Za-z0-9_./-]{1,256}$/, 'must be the name of an event bus'),
  },
  dataPlaneConcurrency: { variable: 'KEYMGR_DATA_PLANE_CONCURRENCY', schema: Share },
  triggersConcurrency: { variable: 'KEYMGR_TRIGGERS_CONCURRENCY', schema: Share },
  dataPlaneWarm: { variable: 'KEYMGR_DATA_PLANE_WARM', schema: Share },
  frontDoor: { variable: 'KEYMGR_FRONT_DOOR', schema: z.enum(['http-api', 'none'], 'must be http-api or none') },
  auditRetentionDays: {
    variable: 'KEYMGR_AUDIT_RETENTION_DAYS',
    schema: z.string().regex(/^(never|9\d|[1-9]\d{2,4})$/, 'must be a number of days from 90 to 99999, or never'),
  },
  auditArchiveDays: {
    variable: 'KEYMGR_AUDIT_ARCHIVE_DAYS',
    schema: z.string().regex(/^[1-9]\d{0,4}$/, 'must be a number of days from 1 to 99999'),
  },
  legacyAlgorithms: {
    variable: 'KEYMGR_LEGACY_ALGORITHMS',
    schema: z.enum(['allowed', 'refused'], 'must be allowed or refused'),
  },
  traceToClouds: { variable: 'KEYMGR_TRACE_TO_CLOUDS', schema: z.enum(['on', 'off'], 'must be on or off') },
  otlpEndpoint: {
    variable: 'KEYMGR_OTLP_ENDPOINT',
    schema: z.string().regex(/^https:\/\/[^\s?#@]+$/, 'must be https://host, with no query and no user'),
  },
  runtimeRoleArn: {
    variable: 'KEYMGR_RUNTIME_ROLE',
    schema: z
      .string()
      .regex(/^arn:[^:]+:iam::\d{12}:role\/[\w+=,.@/-]+$/, 'must be the address of a role (arn:...:role/...)'),
  },
  runtimeRoleExternalId: {
    variable: 'KEYMGR_RUNTIME_ROLE_EXTERNAL_ID',
    schema: z.string().regex(/^[\w+=,.@:/-]{2,1224}$/, 'must be 2 to 1224 letters, digits or _+=,.@:/-'),
  },
  alarmEmail: { variable: 'KEYMGR_ALARM_EMAIL', schema: z.email('must be an e-mail address') },
} as const

type OptionName = keyof typeof OPTIONS

export type DeployOptions = { readonly [Name in OptionName]?: string }

/** An invalid option: `message` contains its name and the reason. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/**
 * @param contextOf values of the CDK's `-c`; they override the environment
 * @throws OptionError
 */
export function readOptions(
  contextOf: (name: string) => unknown,
  env: Readonly<Record<string, string | undefined>>,
): DeployOptions {
  const options: Partial<Record<OptionName, string>> = {}
  for (const name of namesOf(OPTIONS)) {
    const { variable, schema } = OPTIONS[name]
    const given = contextOf(name) ?? env[variable]
    if (given === undefined || given === '') continue // scripts set empty variables for unknown values
    const parsed = schema.safeParse(given)
    if (!parsed.success) throw new OptionError(`${name} ${parsed.error.issues[0]?.message ?? 'is not valid'}.`)
    options[name] = parsed.data
  }
  if ((options.domainName === undefined) !== (options.certificateArn === undefined))
    throw new OptionError('domainName and certificateArn go together.')
  const mutualTls = [options.mutualTlsDomainName, options.mutualTlsCertificateArn, options.mutualTlsTrustStore]
  if (mutualTls.includes(undefined) && mutualTls.some((given) => given !== undefined))
    throw new OptionError('mutualTlsDomainName, mutualTlsCertificateArn and mutualTlsTrustStore go together.')
  if (options.runtimeRoleExternalId !== undefined && options.runtimeRoleArn === undefined)
    throw new OptionError('runtimeRoleExternalId needs runtimeRoleArn.')
  if (options.frontDoor === 'none' && options.baseUrl === undefined)
    throw new OptionError('frontDoor none needs baseUrl: something else must answer for the service.')
  return options
}
