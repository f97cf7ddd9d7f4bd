/**
 * The one reader of the environment. Without a schema library: functions of the data plane read it as well. SDK clients read
 * `AWS_*` themselves.
 */

/** The variable as it stands, an empty one too. */
export const setting = (name: string): string | undefined => process.env[name]

/** @throws Error, a fault, for a variable that is missing or too short: the deployment is wrong, no caller can cause it */
export function needed(name: string, minLength = 1): string {
  const value = setting(name)
  if (value === undefined || value.length < minLength) throw new Error(`The variable ${name} is not set`)
  return value
}

/** @throws Error, a fault, for a variable that is set, and too short */
const optional = (name: string, minLength = 1): string | undefined =>
  setting(name) === undefined ? undefined : needed(name, minLength)

/** @throws TypeError, a fault, for a variable that is no address */
function neededUrl(name: string): string {
  const value = needed(name)
  new URL(value)
  return value
}

/** A rate that the deployment may set. @throws Error, a fault, for a setting that is no positive number */
export function rateSetting(name: string, usual: number): number {
  const rate = Number(setting(name) ?? usual)
  if (!(rate > 0)) throw new Error(`${name} must be a positive number`)
  return rate
}

/** Of functions with the SDK. */
const read = () => ({
  KEYMGR_TABLE: needed('KEYMGR_TABLE', 3),
  KEYMGR_ROOT_KEY: needed('KEYMGR_ROOT_KEY'),
  KEYMGR_BUS: optional('KEYMGR_BUS') ?? 'default',
  KEYMGR_BASE_URL: neededUrl('KEYMGR_BASE_URL'),
  /** addresses of the flows; only functions that start flows are told */
  KEYMGR_FLOW_SYNCHRONIZE: optional('KEYMGR_FLOW_SYNCHRONIZE'),
  KEYMGR_FLOW_RUN_JOB: optional('KEYMGR_FLOW_RUN_JOB'),
  KEYMGR_FLOW_BUILD_REPORT: optional('KEYMGR_FLOW_BUILD_REPORT'),
  KEYMGR_FLOW_EXPORT_AUDIT_LOG: optional('KEYMGR_FLOW_EXPORT_AUDIT_LOG'),
  /** group and role of the schedules, and where their lost starts go; only functions that keep schedules are told */
  KEYMGR_SCHEDULE_GROUP: optional('KEYMGR_SCHEDULE_GROUP'),
  KEYMGR_SCHEDULE_ROLE: optional('KEYMGR_SCHEDULE_ROLE'),
  KEYMGR_SCHEDULE_DEAD_LETTERS: optional('KEYMGR_SCHEDULE_DEAD_LETTERS'),
  /** bucket of texts too long to be answered; only functions that keep or hand out objects are told */
  KEYMGR_BUCKET: optional('KEYMGR_BUCKET', 3),
  /** host name with mutual TLS, and the object with the authorities that the deployment lets in there; only the function that keeps its trust store is told */
  KEYMGR_MTLS_DOMAIN: optional('KEYMGR_MTLS_DOMAIN'),
  KEYMGR_MTLS_ROOTS: optional('KEYMGR_MTLS_ROOTS'),
})

type Environment = Readonly<ReturnType<typeof read>>
let environmentRead: Environment | undefined

/** Read once, when first asked for. @throws Error, a fault, if a variable is missing or wrong */
export function environment(): Environment {
  environmentRead ??= read()
  return environmentRead
}
