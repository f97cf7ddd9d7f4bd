import * as z from 'zod'

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
  alarmEmail: { variable: 'KEYMGR_ALARM_EMAIL', schema: z.email('must be an e-mail address') },
} as const

type OptionName = keyof typeof OPTIONS

export type DeployOptions = { readonly [Name in OptionName]?: string }

/** An option that cannot be meant: `message` says which and why. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/**
 * @param contextOf values of the CDK's `-c`; they win over the environment
 * @throws OptionError
 */
export function readOptions(
  contextOf: (name: string) => unknown,
  env: Readonly<Record<string, string | undefined>>,
): DeployOptions {
  const options: Partial<Record<OptionName, string>> = {}
  for (const [name, { variable, schema }] of Object.entries(OPTIONS) as [OptionName, (typeof OPTIONS)[OptionName]][]) {
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
  return options
}
